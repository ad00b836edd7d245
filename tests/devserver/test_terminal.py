"""The output in the terminal."""

from __future__ import annotations

import asyncio
import io
import logging
import re
import sys

import pytest

from webagent_dev.terminal import Console, ServerLog


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "for_agent"),
    [
        (io.StringIO(), {"CLAUDECODE": "1"}, True),
        (io.StringIO(), {"AI_AGENT": "my-agent"}, True),
        (io.StringIO(), {"AI_AGENT": ""}, False),
        (io.StringIO(), {}, False),
        (Screen(), {"CLAUDECODE": "1"}, False),
    ],
)
def test_a_coding_agent_is_known_by_its_variables(
    monkeypatch: pytest.MonkeyPatch,
    stream: io.StringIO,
    environment: dict[str, str],
    for_agent: bool,
) -> None:
    """A person at a terminal is not one, whatever has started the terminal."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream)

    assert Console.for_terminal().for_agent is for_agent


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


def test_characters_that_cannot_be_encoded_do_not_stop_the_server() -> None:
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
    """A cut transfer is not an error; a bug is shown with its traceback."""
    stream = io.StringIO()
    log = logging.Logger("test")
    log.addHandler(ServerLog(Console(stream)))
    log.error("Cancel 2 running task(s), timeout graceful shutdown exceeded")
    log.warning("Invalid HTTP request received.")
    log.error("Exception in ASGI application", exc_info=asyncio.CancelledError())

    assert stream.getvalue() == ""

    log.error("Exception in ASGI application", exc_info=ValueError("why"))

    assert "ValueError: why" in stream.getvalue()


@pytest.mark.parametrize("color", [False, True])
def test_a_line_is_broken_between_words_below_its_text(color: bool) -> None:
    """Colours take no room; a word that is longer than a line stays whole, for it may be an address."""
    stream = io.StringIO()
    console = Console(stream, color=color, width=40)
    console.labelled(
        "page", f"{console.paint('bold', 'no function')} `pay` - define it in a script"
    )
    console.labelled("url", "http://127.0.0.1:8000/a/path/that/is/long")
    text = re.sub("\x1b[^m]*m", "", stream.getvalue())

    assert text.splitlines() == [
        "  page      no function `pay` - define",
        "            it in a script",
        "  url       http://127.0.0.1:8000/a/path/that/is/long",
    ]


def test_a_label_as_wide_as_its_column_is_apart_from_the_text() -> None:
    """`hypothesis` has ten letters."""
    stream = io.StringIO()
    Console(stream).labelled("hypothesis", "6.170.15")
    Console(stream).labelled("mcp", "1.28.1")

    assert stream.getvalue() == "  hypothesis 6.170.15\n  mcp       1.28.1\n"


def test_lines_stay_whole_without_a_terminal_and_in_a_narrow_one() -> None:
    """Programs read one line for one thing."""
    for width in (None, 25):
        stream = io.StringIO()
        Console(stream, width=width).labelled("page", "word " * 30)

        assert stream.getvalue().count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_the_width_is_the_present_one_of_the_terminal() -> None:
    """It may be changed while the server runs."""
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    with open(master, "rb"), open(slave, "w") as stream:
        console = Console(stream)
        for columns in (60, 200):
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
            assert console.width == columns
    assert Console(Screen()).width is None
