import gc

import pytest

from webagent.parser.gc_pause import paused_gc

LONG = "x" * 100_000


def test_the_collector_rests_while_a_long_text_is_read() -> None:
    """Afterwards it works again, whatever happened."""

    def work() -> None:
        with paused_gc(LONG):
            assert not gc.isenabled()
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert gc.isenabled()


def test_a_short_text_leaves_it_alone() -> None:
    """There is too little to gain."""
    with paused_gc("# Shop"):
        assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    """It is nobody else's to switch on."""
    gc.disable()
    try:
        with paused_gc(LONG):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_frozen_objects_stay_frozen() -> None:
    """A program that forks may have set its objects apart."""
    gc.freeze()
    try:
        with paused_gc(LONG):
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
