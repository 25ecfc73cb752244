"""Benchmarks behind a recogniser: frames to key-steps, and a monitor that reads them."""
