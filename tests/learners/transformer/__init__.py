"""Tests of the Task Graph Transformer."""
