"""Benchmarks of mistakes found in recordings: online, in whole recordings, and by the audit."""
