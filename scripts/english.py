"""Count five habits of our English that slow a reader down, in docs, Python and TypeScript.

    python scripts/english.py             hits, and hits in 100,000 words
    python scripts/english.py --list      each hit with file, line and words
    python scripts/english.py --list none each hit of one pattern
    python scripts/english.py --check     exits with 1 when a pattern is over its limit
    python scripts/english.py --at v1.2   a revision

Docs are read without their code. Of Python count docstrings, comments, messages (strings of
a few words) and names of tests; of TypeScript the comments.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from house import tree_at

FACTOR = 2
"""So many times the highest rate of the five models is allowed."""

MESSAGE_WORDS = 4
"""A string of fewer words is a name or a value, not a message."""

SKIPPED_FOLDERS = re.compile(
    r"\.|node_modules$|__pycache__$|dist$|types$|bundle(?:\.making)?$|deterministic$"
)
"""Folders that the build or others have written, and the planner that will be written anew."""

SKIPPED_FILES = re.compile(r"tests/.*\.md$|.*english\.py$|docs/design/words\.md$")
"""The manifests that tests read, the glossary, which quotes what to avoid, and these patterns with
their tests."""


@dataclass(frozen=True)
class Pattern:
    """A habit: what it looks like, how often models have it, and where it is right."""

    name: str
    instead: str
    models_rate: float
    """The highest of five models, in 100,000 words of their docs."""
    regex: re.Pattern[str]
    right: tuple[tuple[str, str], ...] = ()
    """What a native writer would leave, each with the reason.

    A hit is right where one of these expressions matches around its first letter.
    """


# --- The patterns ------------------------------------------------------------------------

_BE = r"(?:is|are|was|were|be|been|being|isn't|aren't)"
_TELL = r"\b(?:tell|tells|told|telling)"
_STAND = r"\b(?:stand|stands|stood|standing)"
_OPENING = r"(?:\A|(?<=[.!?]\s)|(?<=[.!?][\"')\]]\s))"

PATTERNS = (
    Pattern(
        name="tell",
        instead="say, report, log or send",
        models_rate=36,
        regex=re.compile(rf"{_TELL}\b(?!\.\w)", re.IGNORECASE),
        right=(
            (rf"{_TELL}\b[^.;:|]*?\bapart\b", "to tell apart is to distinguish"),
            (rf"{_TELL}\s+\S+(?:\s+\S+)?\s+from\b", "to tell one from another is that, too"),
            (r"\b(?:can|can't|cannot|could|couldn't|can not)\s+tell\b", "to be able to know"),
            (rf"{_TELL}\s+the\s+difference\b", "an idiom"),
        ),
    ),
    Pattern(
        name="no",
        instead="is not a",
        models_rate=7,
        regex=re.compile(rf"\b{_BE}\s+no\s+[a-z`]", re.IGNORECASE),
        right=(
            (rf"\bthere(?:\s+\w+)?\s+{_BE}\s+no\b", "there is no: nothing of the kind exists"),
            (rf"\b{_BE}\s+there\s+no\b", "the same as a question"),
            (rf"\b{_BE}\s+no\s+(?:longer|more|less|fewer|later|sooner|different)\b", "compares"),
            (rf"\b{_BE}\s+no\s+\w+er\s+than\b", "compares"),
            (rf"\b{_BE}\s+no\s+(?:one|doubt|matter|use|good|need|wonder)\b", "an idiom"),
        ),
    ),
    Pattern(
        name="none",
        instead="is not one",
        models_rate=0,
        regex=re.compile(rf"\b{_BE}\s+none\b"),
        right=(
            (rf"\bthere(?:\s+\w+)?\s+{_BE}\s+none\b", "there is none: nothing of the kind exists"),
            (rf"\b{_BE}\s+none\s+the\s+\w+", "none the worse, none the wiser: an idiom"),
            (rf"\b{_BE}\s+none\s+of\s+\S+(?:\s+\S+)?\s+business\b", "an idiom"),
        ),
    ),
    Pattern(
        name="who-what",
        instead="the noun that is meant",
        models_rate=6,
        regex=re.compile(rf"{_OPENING}(?:Who|What|Whoever|Whatever)\b(?!')"),
        right=(
            (r"\b(?:Who|What)(?:ever)?\b[^.!]*\?", "a question"),
            (r"\bWhat\s+(?:if|about|else)\b", "a question in short"),
            (r"\bWhat\s+(?:to\s+\w+|happens\s+(?:when|if|next))\b", "titles that are common"),
        ),
    ),
    Pattern(
        name="stand",
        instead="is",
        models_rate=2,
        regex=re.compile(rf"(?<!-){_STAND}\b(?!-)", re.IGNORECASE),
        right=(
            (rf"{_STAND}\s+(?:in\s+)?for\b", "to stand for is to mean, to stand in for to replace"),
            (rf"{_STAND}\s+(?:out|up|alone|still)\b", "other verbs"),
        ),
    ),
)


# --- The words ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Passage:
    """Words in a row, such as a paragraph, a docstring or a message."""

    path: str
    line: int
    """Of its beginning."""
    text: str


_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_CODE = re.compile(r"(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1|[\s\S]*)", re.MULTILINE)
_PROGRAM = re.compile(
    r"=>|;$|</|\b(?:const|let|await|return|def|import) \w|\w\(\)|\\b|\(\?", re.MULTILINE
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]|>)\s+")


def words(text: str) -> int:
    """Return the number of words of a text."""
    return len(_WORD.findall(text))


def prose(path: str, line: int, text: str) -> Iterator[Passage]:
    """Yield the paragraphs, items and cells of Markdown, without headings and code."""
    for code in (_FENCE, _CODE):
        text = code.sub(lambda match: "`x`" + "\n" * match[0].count("\n"), text)
    text = re.sub(r"\[(?=[^\]]*\]\()|\]\([^)\s]*\)|[*_]{1,2}(?=\w)|(?<=\S)[*_]{1,2}", "", text)
    begin, block = line, ""
    for number, row in enumerate([*text.split("\n"), ""], line):
        cells = re.split(r"\s*(?<!\\)\|\s*", row.strip()) if row.lstrip().startswith("|") else []
        heading = row.lstrip().startswith("#")
        item = _ITEM.match(row)
        if block and (cells or heading or item or not row.strip()):
            yield Passage(path, begin, block)
            block = ""
        if cells:
            yield from (Passage(path, number, cell) for cell in cells if cell)
        elif not heading:
            begin = begin if block else number
            block += "\n" * bool(block) + row[item.end() if item else 0 :].strip()


def markdown_passages(path: str, text: str) -> Iterator[Passage]:
    """Yield the passages of a page."""
    return prose(path, 1, text)


def python_passages(path: str, text: str) -> Iterator[Passage]:
    """Yield docstrings, comments, messages and names of tests, these as sentences."""
    nodes = list(ast.walk(ast.parse(text)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test_"):
                name = node.name.removeprefix("test_").replace("_", " ")
                yield Passage(path, node.lineno, name[:1].upper() + name[1:])
        elif isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "x" for p in node.values)
            yield from _message(path, node.lineno, "".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                yield from prose(path, node.lineno, node.value)
            elif id(node) not in inside:
                yield from _message(path, node.lineno, node.value)
    # Reading tokens takes longer than all else, and few files have comments.
    tokens = tokenize.generate_tokens(io.StringIO(text if "#" in text else "").readline)
    comments = [(t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT]
    yield from _comments(path, comments, "#")


def _message(path: str, line: int, text: str) -> Iterator[Passage]:
    if words(text) >= MESSAGE_WORDS and not _PROGRAM.search(text):
        yield from prose(path, line, text)


def _comments(path: str, comments: list[tuple[int, str]], mark: str) -> Iterator[Passage]:
    """Yield comments, those of neighbouring lines together."""
    for _, run in groupby(enumerate(comments), key=lambda at: at[1][0] - at[0]):
        lines = [comment for _, comment in run]
        text = "\n".join(comment.lstrip(mark).strip() for _, comment in lines)
        yield from prose(path, lines[0][0], text)


_BLOCK = re.compile(r"^[ \t]*/\*+([\s\S]*?)\*/", re.MULTILINE)
_LINE = re.compile(
    r"""^(?:[^\n"'`/]|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|/(?!/))*(//[ \t][^\n]*)""", re.MULTILINE
)


def typescript_passages(path: str, text: str) -> Iterator[Passage]:
    """Yield the comments."""
    for match in _BLOCK.finditer(text):
        lines = [line.strip().removeprefix("*").strip() for line in match[1].split("\n")]
        yield from prose(path, _line_of(text, match.start(1)), "\n".join(lines))
    found = [(_line_of(text, match.start(1)), match[1]) for match in _LINE.finditer(text)]
    yield from _comments(path, found, "/")


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


READERS = {
    "docs": (".md", markdown_passages),
    "Python": (".py", python_passages),
    "TypeScript": (".ts", typescript_passages),
}


# --- The count ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Hit:
    """A place where a pattern was found."""

    pattern: Pattern
    path: str
    line: int
    text: str
    """The hit with what is around it, in one line."""


def hits_in(passage: Passage) -> Iterator[Hit]:
    """Yield what the patterns find in a passage, but for what is right there."""
    for pattern in PATTERNS:
        for match in pattern.regex.finditer(passage.text):
            if not _is_right(pattern, passage.text, match.start()):
                around = passage.text[max(0, match.start() - 40) : match.end() + 50]
                line = passage.line + passage.text.count("\n", 0, match.start())
                yield Hit(pattern, passage.path, line, " ".join(around.split()))


def _is_right(pattern: Pattern, text: str, at: int) -> bool:
    return any(
        match.start() <= at < match.end()
        for expression, _ in pattern.right
        for match in re.finditer(expression, text, re.IGNORECASE)
    )


@dataclass
class Count:
    """The hits and the number of words of all files of a kind."""

    hits: list[Hit]
    words: int

    def rate(self, pattern: Pattern) -> float:
        """Return the hits of a pattern in 100,000 words."""
        n = sum(hit.pattern is pattern for hit in self.hits)
        return 100_000 * n / max(1, self.words)


def count(root: Path) -> dict[str, Count]:
    """Count every kind of file below a root."""
    answer = {}
    paths = list(_paths(root))
    for kind, (ending, read) in READERS.items():
        counted = answer[kind] = Count([], 0)
        for path in (path for path in paths if path.endswith(ending)):
            for passage in read(path, (root / path).read_text(encoding="utf-8")):
                counted.words += words(passage.text)
                counted.hits += hits_in(passage)
    return answer


def _paths(root: Path) -> Iterator[str]:
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if not SKIPPED_FOLDERS.match(name))
        for name in sorted(names):
            path = Path(folder, name).relative_to(root).as_posix()
            if not SKIPPED_FILES.match(path):
                yield path


def table(counts: dict[str, Count]) -> str:
    """Return hits and rates of each pattern as Markdown."""
    rows = [["pattern", *counts, "models", "limit"], ["---", *["--:"] * (len(counts) + 2)]]
    for pattern in PATTERNS:
        cells = [
            f"{sum(hit.pattern is pattern for hit in counted.hits)} ({counted.rate(pattern):.0f})"
            for counted in counts.values()
        ]
        limit = FACTOR * pattern.models_rate
        rows.append([pattern.name, *cells, f"{pattern.models_rate:g}", f"{limit:g}"])
    rows.append(["words", *(f"{counted.words:,}" for counted in counts.values()), "", ""])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def over_limit(counts: dict[str, Count]) -> list[str]:
    """Return a line for each pattern that a kind of file has too often."""
    return [
        f"{kind}: `{pattern.name}` {counted.rate(pattern):.0f} in 100,000 words, "
        f"at most {FACTOR * pattern.models_rate:g}; write {pattern.instead}"
        for kind, counted in counts.items()
        for pattern in PATTERNS
        if counted.rate(pattern) > FACTOR * pattern.models_rate
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    names = [pattern.name for pattern in PATTERNS]
    parser = argparse.ArgumentParser(prog="python scripts/english.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--at", metavar="REV", help="count in this revision")
    parser.add_argument("--list", nargs="?", const="", choices=["", *names], metavar="PATTERN")
    parser.add_argument("--check", action="store_true", help="exit with 1 when over a limit")
    given = parser.parse_args(arguments)
    with tree_at(given.at) as root:
        counts = count(root)
    if given.list is not None:
        for counted in counts.values():
            for hit in counted.hits:
                if given.list in ("", hit.pattern.name):
                    print(f"{hit.path}:{hit.line}: {hit.pattern.name}: {hit.text}")
        return 0
    broken = over_limit(counts)
    print(table(counts))
    if given.check and broken:
        print("\n".join(["", *broken]))
    return 1 if given.check and broken else 0


if __name__ == "__main__":
    sys.exit(main())
