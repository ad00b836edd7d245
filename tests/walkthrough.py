"""Reads a page that leads through commands and files, so that a test can follow it word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.test_docs import FENCE

_NAMED = re.compile(r"`([\w./-]+/[\w./-]+)`")


@dataclass(frozen=True)
class Save:
    """A file is written, or what it holds is changed."""

    path: str
    text: str
    instead_of: str | None = None
    """The text to replace; empty to add at the end, None to write the whole file."""

    def do(self, folder: Path) -> None:
        """Write the file as a reader would."""
        file = folder / self.path
        if self.instead_of is None:
            text = self.text
        else:
            old = file.read_text("utf-8")
            if self.instead_of:
                assert old.count(self.instead_of) == 1, f"{self.path}: {self.instead_of}"
                text = old.replace(self.instead_of, self.text)
            else:
                text = f"{old}\n{self.text}"
        file.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Command:
    """A command is typed and writes something; `…` stands for what may differ."""

    line: str
    output: str


@dataclass(frozen=True)
class Prepare:
    """A command readies the reader's machine; what it writes is not shown."""

    line: str


@dataclass(frozen=True)
class ServerOutput:
    """The terminal of the server shows something."""

    output: str


@dataclass(frozen=True)
class Script:
    """A program is typed into the browser's console."""

    code: str


def steps(page: Path) -> Iterator[Save | Command | Prepare | ServerOutput | Script]:
    """Yield what a reader of a page does, in order.

    Raises:
        ValueError: A block says nothing of what to do with it.
    """
    return steps_of(page.read_text("utf-8"), str(page))


def steps_of(text: str, page: str) -> Iterator[Save | Command | Prepare | ServerOutput | Script]:
    """Yield what a reader of a text does; what to do with a file says the sentence before it.

    Raises:
        ValueError: A block says nothing of what to do with it.
    """
    path = old = ""
    for match in FENCE.finditer(text):
        sentence = text[: match.start()].rstrip().rpartition("\n\n")[2]
        language, block = match[2], match[3]
        named = _NAMED.findall(sentence)
        path = named[-1] if named else path
        if language == "sh":
            yield from map(Prepare, block.splitlines())
        elif language == "console":
            yield from _commands(block)
        elif language == "js":
            yield Script(block)
        elif sentence.endswith("instead of"):
            old = block
        elif sentence == "write":
            yield Save(path, block, instead_of=old)
        elif language == "text":
            yield ServerOutput(block)
        elif named and sentence.endswith(":"):
            yield Save(path, block, instead_of="" if "end of" in sentence else None)
        else:
            raise ValueError(f"{page}: nothing says what to do with\n{block}")


def _commands(block: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def pattern(output: str) -> str:
    """Return the regular expression of an output: `…` is anything in a line, alone any lines."""
    lines = []
    for line in output.splitlines():
        words = [re.escape(word) for word in line.split("…")]
        lines.append(r"(?s:.*?)" if line == "…" else "[^\n]*".join(words) + "\n")
    return "".join(lines)
