"""`python -m tgml` is `tgml`."""

from tgml.cli.main import run

if __name__ == "__main__":
    run()
