"""Tests of the store on disk."""
