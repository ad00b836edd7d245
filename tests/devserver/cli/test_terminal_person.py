"""A person in the terminal answers what an agent asks."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from webagent.agent.person import Answer, Request
from webagent_dev.cli.terminal_person import TerminalPerson
from webagent_dev.terminal import Console


async def answer(request: Request, *typed: str) -> tuple[Answer, str]:
    """Ask a person who types these lines; return the answer, and all that was shown."""
    lines: Iterator[str] = iter(typed)
    shown = io.StringIO()

    def read(prompt: str) -> str:
        shown.write(prompt)
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    person = TerminalPerson(Console(shown), read=read, read_secret=lambda _: "hidden")
    return await person.ask(request), shown.getvalue()


def approval(**details: Any) -> Request:
    return Request("approval", "May I add it?", {"arguments": {"id": "a\x1b[2J"}, **details})


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("y", Answer(yes=True)),
        (" YES ", Answer(yes=True)),
        ("n", Answer(text="the person said no")),
        ("", Answer(text="the person said no")),
        ("not that one", Answer(text="not that one")),
        ("a", Answer(text="a")),
    ],
)
async def test_an_approval_is_a_word(typed: str, wanted: Answer) -> None:
    """Anything but yes is a no; words are the reason."""
    assert (await answer(approval(), typed))[0] == wanted


async def test_always_is_offered_where_it_is_allowed() -> None:
    """For the rest of the run."""
    given, shown = await answer(approval(session=True), "a")

    assert given == Answer(yes=True, session=True)
    assert "a(lways" in shown


async def test_control_characters_do_not_reach_the_terminal() -> None:
    """Text of a page is printed as text."""
    _, shown = await answer(approval(), "y")

    assert "\x1b" not in shown
    assert "May I add it?" in shown


def transfer(arguments: dict[str, Any], **details: Any) -> Request:
    return Request("approval", "May I?", {"tool": "transfer", "arguments": arguments, **details})


async def test_characters_that_turn_text_are_named() -> None:
    """A number that is turned round is not read as another one."""
    _, shown = await answer(transfer({"amount": "\u202e0001", "to\u200b": "a\x1b[2J"}), "y")

    assert "amount: ⟨202E⟩0001\n" in shown
    assert "to⟨200B⟩: a⟨001B⟩[2J\n" in shown


async def test_blank_lines_are_counted_and_no_value_passes_for_an_argument() -> None:
    """The text after them is on the same screen, and further lines of a text have a bar."""
    given = {"note": "Thanks!" + "\n" * 700 + "amount: 1", "amount": 1000}
    _, shown = await answer(transfer(given), "y")

    assert "| ⟨… 698 blank lines⟩\n" in shown
    assert "| amount: 1\n" in shown
    assert "            amount: 1000\n" in shown
    assert shown.count("\n") < 12


async def test_a_long_text_is_shown_to_its_end_before_a_yes() -> None:
    """Its length is stated; each page waits for Enter, and a yes on the way does not count."""
    text = "".join(f"word{n} " for n in range(5_000)) + "and my house"
    given, shown = await answer(transfer({"letter": text}), *[""] * 50, "y")

    assert f"letter ({len(text):,} characters): word0 " in shown
    lines = re.split(r"\n|  Enter shows more \([\d,]+ characters\), n\(o\) refuses: ", shown)
    assert "".join(line[12:] for line in lines if line.startswith(" " * 12)).endswith(text)
    # The Enters that are left over are a no.
    assert not given.yes
    pages = shown.count("Enter shows more")
    assert pages > 10
    assert (await answer(transfer({"letter": text}), *[""] * pages, "y"))[0] == Answer(yes=True)
    assert not (await answer(transfer({"letter": text}), "y"))[0].yes


async def test_letters_of_another_script_are_explained() -> None:
    """In the name of the tool, and in its arguments."""
    request = transfer({"to": "p\u0430ypal"}, tool="p\u0430y", similar=["pay"])
    _, shown = await answer(request, "y")

    assert "`p\u0430y` looks like `pay`, which is another tool" in shown
    assert "in `p\u0430ypal` the 2nd letter is Cyrillic `\u0430` (U+0430)" in shown


async def test_unseen_values_of_a_form_are_listed() -> None:
    """After what the agent fills in."""
    _, shown = await answer(transfer({"pp_id": 7}, sends={"action": "de\u202elete"}), "n")

    assert "also sent, but not shown on the page:" in shown
    assert "action: de⟨202E⟩lete" in shown


async def test_several_calls_are_shown_before_one_yes() -> None:
    """Each with its arguments."""
    calls = [{"to": "ann", "amount": 1}, {"to": "bob", "amount": 2}]
    _, shown = await answer(transfer(calls[0], calls=calls), "y")

    assert shown.index("call 1 of 2") < shown.index("to: ann") < shown.index("call 2 of 2")
    assert "amount: 2" in shown


GRANTS = [
    {"key": "a b", "text": "press `Save`"},
    {"key": "kind:x", "text": "press any\u202e button"},
]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["s"], Answer(text="the person said no", stop=True)),
        (["stop"], Answer(text="the person said no", stop=True)),
        (["a", "2"], Answer(yes=True, grant="kind:x")),
        (["a", "1"], Answer(yes=True, grant="a b")),
        (["a", "3"], Answer(text="the person said no")),
        (["a", ""], Answer(text="the person said no")),
    ],
)
async def test_more_than_once_is_chosen_from_a_list(typed: list[str], wanted: Answer) -> None:
    """Each grant is shown in words; `stop` ends the run."""
    given, shown = await answer(transfer({}, session=True, grants=GRANTS), *typed)

    assert given == wanted
    assert ("2  press any⟨202E⟩ button" in shown) == (typed[0] == "a")


async def test_a_plan_is_shown_with_its_steps() -> None:
    """One line each."""
    plan = Request("plan", "I will look.", {"steps": [{"text": "look"}, {"text": "tell"}]})
    given, shown = await answer(plan, "y")

    assert given.yes
    assert shown.index("- look") < shown.index("- tell")


async def test_a_question_is_answered_in_words() -> None:
    """An empty line does not count; a secret is read without being shown."""
    assert (await answer(Request("question", "Which?"), " red "))[0] == Answer(True, "red")
    assert not (await answer(Request("question", "Which?"), ""))[0].yes
    secret = Request("question", "Password?", {"secret": True})
    assert (await answer(secret))[0] == Answer(True, "hidden")


async def test_a_file_is_given_by_its_path(tmp_path: Path) -> None:
    """With its name and type; a missing file is reported."""
    path = tmp_path / "a.png"
    path.write_bytes(b"png")
    request = Request("file", "A picture?", {"filename": "a.png"})
    given, _ = await answer(request, str(path))

    assert [(f.name, f.type, f.data) for f in given.files] == [("a.png", "image/png", b"png")]
    assert "cannot be read" in (await answer(request, str(tmp_path / "b")))[0].text
    assert not (await answer(request, ""))[0].yes


async def test_the_end_of_the_input_is_a_no() -> None:
    """Nobody is there any more."""
    assert (await answer(approval()))[0] == Answer(text="nobody answered")


def test_a_cancelled_run_does_not_wait_for_a_line() -> None:
    """After Ctrl-C nobody has to type the answer first."""
    asked, typed, waited = threading.Event(), threading.Event(), []

    def read(_: str) -> str:
        asked.set()
        waited.append(typed.wait(10))
        return "y"

    async def give_up() -> None:
        person = TerminalPerson(Console(io.StringIO()), read=read)
        asking = asyncio.ensure_future(person.ask(approval()))
        await asyncio.to_thread(asked.wait)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking

    asyncio.run(give_up())

    assert waited == []
    typed.set()


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="terminals are something else there")
def test_a_cancelled_secret_restores_the_terminal() -> None:
    """After Ctrl-C the next words are shown again."""
    import fcntl
    import pty
    import termios

    code = (
        "import asyncio\nfrom webagent.agent.person import Request\n"
        "from webagent_dev.terminal import Console\nfrom webagent_dev.cli.exit import interrupt\n"
        "from webagent_dev.cli.terminal_person import TerminalPerson\n"
        "person = TerminalPerson(Console.for_terminal())\n"
        "try:\n"
        "    asyncio.run(person.ask(Request('question', 'Password?', {'secret': True})))\n"
        "except KeyboardInterrupt:\n"
        "    interrupt()"
    )
    ours, theirs = pty.openpty()

    def begin() -> None:
        # Ctrl-C comes from the terminal that a process has; a job in the background has it ignored.
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=begin,
    ) as process:
        said = b""
        while b"answer, or nothing" not in said:
            said += os.read(ours, 1000)
        assert not termios.tcgetattr(theirs)[3] & termios.ECHO
        os.write(ours, b"\x03")

        assert process.wait(30) == 130
    assert termios.tcgetattr(theirs)[3] & termios.ECHO
    os.close(ours)
    os.close(theirs)
