import gc

import pytest

from webagent.parser.gc_pause import resting_collector

LONG = "x" * 100_000


def test_the_collector_rests_while_a_long_text_is_read() -> None:
    """Afterwards it works again, whatever happened."""

    def work() -> None:
        with resting_collector(LONG):
            assert not gc.isenabled()
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert gc.isenabled()


def test_a_short_text_leaves_it_alone() -> None:
    """There is too little to gain."""
    with resting_collector("# Shop"):
        assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off() -> None:
    """It is nobody else's to switch on."""
    gc.disable()
    try:
        with resting_collector(LONG):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_somebody_has_frozen_stays_frozen() -> None:
    """A program that forks may have set its objects apart."""
    gc.freeze()
    try:
        with resting_collector(LONG):
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
