"""`python -m stepgraph` is `stepgraph`."""

from stepgraph.cli.main import run

if __name__ == "__main__":
    run()
