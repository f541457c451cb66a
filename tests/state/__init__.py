"""Tests of states, sessions and their forks."""
