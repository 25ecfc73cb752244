"""How many threads torch computes with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Compute on one thread inside the block: handing small work around costs more than doing it.

    Parameters
    ----------
    wanted
        False leaves the number of threads alone.
    """
    before = torch.get_num_threads()
    if wanted:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
