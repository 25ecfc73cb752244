"""Garbage collection, kept from looking again and again through what stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Leave garbage collection for after the block.

    What a batch makes refers to nothing that refers back to it, so that it goes by itself; to look
    for circles all the while took a fifth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def set_aside() -> Iterator[None]:
    """Let garbage collection pass over, inside the block, what there was before it.

    Thousands of procedures' recordings are there before a run, and stay until its end.
    """
    mine = not gc.get_freeze_count()  # otherwise somebody else has set them aside
    if mine:
        gc.freeze()
    try:
        yield
    finally:
        if mine:
            gc.unfreeze()
