"""Benchmarks of time and memory: learning, logs, drawings, the monitor and the service."""
