"""The command line: one file per command.

A command parses its options, calls one library function and prints. It imports library modules
only when it runs, so `stepgraph --help` answers at once.
"""
