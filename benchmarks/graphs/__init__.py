"""Benchmarks of learned graphs: edges against known ones, attributes, probabilities, advice."""
