"""Garbage collection, put off while a batch is learned."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Leave garbage collection for after the block.

    What a batch makes refers to nothing that refers back to it, so that it goes by itself; to look
    for circles again and again among all that is kept took a fifth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
