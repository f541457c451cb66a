"""Tests of literal values."""
