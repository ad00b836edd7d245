"""What reaches the terminal."""

from __future__ import annotations

import asyncio
import io
import logging

import pytest

from webagent_dev.console import Console, ServerLog, printable


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    """Control characters, also invisible ones that turn text around, are shown as such."""
    assert printable("a\x1b[31m\nb\u202ec\x07") == "a�[31m b�c�"
    assert printable("x" * 10, limit=3) == "xxx…"


@pytest.mark.parametrize(
    ("stream", "environment", "color"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_for_people_only(
    monkeypatch: pytest.MonkeyPatch,
    stream: io.StringIO,
    environment: dict[str, str],
    color: bool,
) -> None:
    """A terminal has colour unless NO_COLOR is set."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", stream)

    assert Console.for_terminal().color is color
    assert ("\x1b" in Console(stream, color=color).paint("red", "x")) is color


def test_what_the_stream_cannot_hold_does_not_stop_the_server() -> None:
    """Neither an old encoding nor a closed pipe raises."""
    old = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(old).line("ä\udcff")
    old.seek(0)

    assert old.read() == "??\n"

    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    Console(Closed()).line("x")


def test_only_real_errors_of_the_server_are_shown() -> None:
    """A cut transfer is none; a bug comes with its traceback."""
    stream = io.StringIO()
    log = logging.Logger("test")
    log.addHandler(ServerLog(Console(stream)))
    log.error("Cancel 2 running task(s), timeout graceful shutdown exceeded")
    log.warning("Invalid HTTP request received.")
    log.error("Exception in ASGI application", exc_info=asyncio.CancelledError())

    assert stream.getvalue() == ""

    log.error("Exception in ASGI application", exc_info=ValueError("why"))

    assert "ValueError: why" in stream.getvalue()
