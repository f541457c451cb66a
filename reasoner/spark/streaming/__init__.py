"""Streams of Spark as a source of transactions: ``following`` commits each micro-batch exactly once."""
