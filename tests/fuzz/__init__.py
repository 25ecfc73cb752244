"""Every reader and file format against any bytes: `make fuzz`, or ``python -m tests.fuzz``.

A target takes bytes and either makes something valid of them, which must survive being written
and read again, or raises an error of stepgraph. Anything else is a finding: another exception, a
warning, a change on the way through a file, more than a few seconds, or much memory.

Inputs come from two sides. The guided side (`guided`, with atheris) keeps what reaches new code and
goes on from there; the drawn side (`drawn`, with hypothesis) needs no compiled package and shrinks
what it finds. Both start from valid files and share the mutations of `mutation`. Neither is part
of the default tests, which only try a few hundred inputs of the same kind (`test_fuzz`).
"""
