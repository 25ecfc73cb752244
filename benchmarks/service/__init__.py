"""The live service under load and under blows: server, clients and judge are separate processes.

`process` runs the real command line, `client` posts observations over HTTP, `replay` makes the
sessions beforehand and compares every answer with a monitor's afterwards.
"""
