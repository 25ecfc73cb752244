from __future__ import annotations

import gc

import pytest

from stepgraph.pipeline.workers import no_collection, set_aside


def test_collection_is_off_inside_and_as_before_outside() -> None:
    assert gc.isenabled()
    with no_collection():
        assert not gc.isenabled()
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_an_error() -> None:
    with pytest.raises(KeyError), no_collection():
        raise KeyError
    assert gc.isenabled()


def test_what_there_was_is_set_aside_and_comes_back() -> None:
    assert gc.get_freeze_count() == 0
    with set_aside():
        assert gc.get_freeze_count() > 0
        with set_aside():
            pass
        assert gc.get_freeze_count() > 0  # it was not for the inner one to bring back
    assert gc.get_freeze_count() == 0
