"""The command line: one file per command.

A command parses its options, calls one library function and prints. Library modules are
imported inside the commands, so that `stepgraph --help` answers at once and only what a command
needs is loaded.
"""
