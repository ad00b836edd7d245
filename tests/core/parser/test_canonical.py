import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.bench.texts import MIB, README, hostile, manifest
from tests.core.cases import cases
from tests.manifests import manifests
from webagent import parse, to_markdown
from webagent.parser import Reading, canonical, document, read

ROOT = Path(__file__).parents[3]
HOSTILE = hostile(MIB)

FILES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "site_template/webagents.md"]

PIECES = [
    "# t",
    "# t #",
    "## search",
    "## search ##",
    "## Rules",
    "## getCart",
    "## `a`",
    "## Rules <!-- note -->",
    "### Params",
    "### Output",
    "### Sample Code",
    "### Sample Code\n```js\n",
    "### Behavior",
    "### Behavior\n\n- effect: read\n- idempotent",
    "- untrusted output",
    "- effect: write",
    "### Other",
    "#### Params",
    "- `q` (string, required): What.",
    "- `q` (number[], default=2): ",
    "- `q` (object): What.  ",
    '- `q` ("a" | "b", optional): What (really).',
    "- `q` ({ a: string }): `x`",
    "- `q` (required): What.",
    "- `q` (: What.",
    "- `q`",
    "- `none`",
    "- ```",
    "- text",
    "  more",
    "\tmore",
    "    code",
    "1. one",
    "1. " * 101 + "one",
    "- " * 101 + "one",
    "- 1. one",
    "10 a",
    "- 3.5",
    "```typescript\nstring[]\n```",
    "```\n\n```",
    "```js",
    "```",
    "````",
    " ```",
    "~~~",
    "`a` and ``b``",
    "Text.",
    "text \\",
    "\\## x",
    "\u00a0",
    "\x0c",
    "Version: 1",
    "*Version: 1.2*",
    "**Params**",
    "<!-- c -->",
    "<!--",
    "-->",
    "<div>",
    "<pre>",
    "---",
    "===",
    "| a | b |\n|---|---|",
    "> quote",
    "tool: f(x)",
    "[a]: b",
    "\ufeff",
    "",
    "",
    "",
]


lines = st.sampled_from(PIECES)
edits = st.lists(
    st.tuples(st.integers(0, README.count("\n")), st.integers(0, 3), st.lists(lines, max_size=2)),
    min_size=1,
    max_size=3,
)
"""Lines of the example to take out, how many, and what to write there."""


def edited(changes: list[tuple[int, int, list[str]]]) -> str:
    text = README.split("\n")
    for start, count, new in changes:
        text[start : start + count] = new
    return "\n".join(text)


characters = st.lists(
    st.tuples(
        st.integers(0, len(README)),
        st.integers(0, 2),
        st.text("#`~<>-*_=|: \t\n\\()[]{}ab1?,.'\"\x0b\x85\u2028\u00a0\ufeff", max_size=2),
    ),
    min_size=1,
    max_size=3,
)
"""Characters of the example to take out, how many, and what to write there."""


def mistyped(changes: list[tuple[int, int, str]]) -> str:
    text = README
    for start, count, new in changes:
        text = text[:start] + new + text[start + count :]
    return text


texts = st.one_of(
    characters.map(mistyped),
    edits.map(edited),
    st.lists(lines, max_size=14).map("\n".join),
    manifests.map(to_markdown),
)
given_texts = [
    text.values[0]
    for name in ("heading", "compact", "declarations", "findings", "params", "varied")
    for text in cases(name)
]


def contents(reading: Reading) -> list[object]:
    """Return everything that was read, with findings in the order of the text."""
    findings = sorted(reading.findings, key=lambda f: (f.span, f.rule, f.message))
    return [reading.manifest, reading.title, reading.tools, reading.notes, findings]


def assert_agrees(text: str) -> None:
    by_blocks = document.read(text)

    assert parse(text) == by_blocks.manifest
    assert contents(read(text)) == contents(by_blocks)


@given(texts, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@example(README.replace(": Search query text.\n", ": a- `b` (string): c\n"), "\n", True)
@example(README.replace("`query`", "`q y`").replace("text.\n", "- `b` (string): c\n"), "\n", True)
@settings(deadline=None)
def test_reading_without_blocks_gives_the_same(text: str, newline: str, ended: bool) -> None:
    """Manifest, places and findings are the same if the blocks are not scanned first."""
    assert_agrees(text.replace("\n", newline) + newline * ended)


@pytest.mark.parametrize("text", given_texts)
def test_cases_are_read_the_same(text: str) -> None:
    """This also goes for the cases of the format, alone and inside a manifest."""
    assert_agrees(text)
    assert_agrees(f"# S\n\n## t\nd\n\n### Params\n{text}\n\n### Output\n```\nvoid\n```\n")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_read_the_same(path: Path) -> None:
    """This also goes for documents for people."""
    assert_agrees(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_the_same(name: str) -> None:
    """This also goes for the beginnings of texts that are made to take long."""
    assert_agrees(HOSTILE[name][:2000])


def test_a_plain_manifest_is_read_without_blocks() -> None:
    """The modules that scan blocks are not even imported."""
    code = (
        "import sys, webagent\n"
        "assert len(webagent.parse(sys.argv[1]).tools) == 12\n"
        "assert not {'webagent.markdown', 'webagent.tstypes'} & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", code, manifest(12)], check=True)


WORDS = [
    "Add ",
    "{title}",
    "{a.b}",
    "{.a}",
    "{a..b}",
    "{",
    "}",
    "  ",
    " ",
    "?",
    "`x`",
    "*x*",
    "_x_",
    "- ",
    "1) ",
]


@given(st.sampled_from(["confirm", "done", "title"]), st.lists(st.sampled_from(WORDS), max_size=6))
def test_sentences_are_read_the_same(key: str, words: list[str]) -> None:
    """Plain ones are read without blocks, and mean the same."""
    assert_agrees(f"# S\n\n## t\nd\n\n### Params\n\n### Behavior\n- {key}: {''.join(words)}\n")


PATHS = ["/a", "/a/b.html", ", ", ",", " ", "/*", "*", "_", "`", "/", "//x", "-", "b"]


@given(st.lists(st.sampled_from(PATHS), max_size=6))
@example(["/contact.html"])
@example(["/a", ", ", "/a/b.html"])
def test_paths_are_read_the_same(parts: list[str]) -> None:
    """Plain ones are read without blocks, and mean the same."""
    assert_agrees(f"# S\n\n## t\nd\n\n### Params\n\n### Behavior\n- paths: {''.join(parts)}\n")


def test_the_manifest_of_the_template_needs_no_blocks() -> None:
    """All that the demo shop writes is of the forms that are read at once."""
    text = (ROOT / "site_template/webagents.md").read_text("utf-8")
    with mock.patch.object(canonical, "_read_blocks", wraps=canonical._read_blocks) as read_blocks:
        parse(text)
    assert not read_blocks.called
