from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.cases import cases, outline
from tests.timing import takes_at_most
from webagent.checks import check
from webagent.diagnostics import Finding
from webagent.parser import parse, parse_file, read
from webagent.types import Manifest, Note, Param


@pytest.mark.parametrize(("text", "expected"), cases("heading"))
def test_heading_format(text: str, expected: str) -> None:
    """The heading format is read as the case says, with these findings."""
    assert outline(check(text)) == expected


@pytest.mark.parametrize(("text", "expected"), cases("compact"))
def test_compact_format(text: str, expected: str) -> None:
    """The compact format is read as the case says, with these findings."""
    assert outline(check(text)) == expected


@pytest.mark.parametrize(("text", "expected"), cases("params"))
def test_parameter(text: str, expected: str) -> None:
    """A parameter is read as the case says, however it is written."""
    report = check(f"# S\n\n## t\nd\n\n### Params\n{text}\n\n### Output\n`void`\n")
    rows = outline(report).split("\n")[3:]

    assert "\n".join(row.strip() for row in rows if "returns void" not in row) == expected


def test_both_formats_give_equal_tools() -> None:
    """The same tool in both formats is the same `Tool`."""
    heading = parse(
        "## search\nFind.\n\n### Params\n- `q` (string, required)\n- `n` (number, default=20)\n\n"
        "### Output\n```ts\nstring[]\n```\n\n### Sample Code\n```js\nglobal.search('a')\n```\n"
    )
    compact = parse(
        "tool: search(q, n=20)\n  description: Find.\n  params:\n    q: string\n    n: number?\n"
        "  output:\n    ```ts\n    string[]\n    ```\n"
        "  sample_code:\n    ```js\n    global.search('a')\n    ```\n"
    )

    assert heading.tools == compact.tools


def test_content_is_the_text() -> None:
    """The manifest keeps the Markdown, with LF and without a byte order mark."""
    assert parse("\ufeff# S\r\n\r\nText.\r\n").content == "# S\n\nText."


def test_file_is_read_as_utf8(tmp_path: Path) -> None:
    """A file may have a byte order mark and bytes that are not UTF-8."""
    file = tmp_path / "webagents.md"
    file.write_bytes(b"\xef\xbb\xbf# St\xc3\xb6re \xff\n")

    assert parse_file(file).name == "Störe \ufffd"
    assert parse_file(str(file)).name == "Störe \ufffd"


def test_a_missing_file_raises(tmp_path: Path) -> None:
    """Content never raises."""
    with pytest.raises(FileNotFoundError):
        parse_file(tmp_path / "none.md")


def test_spans_point_to_what_was_read() -> None:
    """Tools, names, types, outputs and notes have the span of their text."""
    text = (
        "# Shop\r\n\r\n## Rules\r\nBe kind.\r\n\r\n## search\r\nFind.\r\n\r\n### Params\r\n"
        "- `q` (Array<string>, required): What.\r\n\r\n### Output\r\n```ts\r\nnumber\r\n```\r\n"
    )
    reading = read(text)

    def cut(span: object) -> str:
        return text[span.start : span.end]  # type: ignore[attr-defined]

    (tool,) = reading.tools
    assert cut(reading.title) == "Shop"
    assert cut(reading.notes[0].title) == "Rules"
    assert cut(tool.name) == "search"
    assert cut(tool.span).startswith("## search")
    assert cut(tool.span).endswith("number\r\n```")
    assert cut(tool.params[0].name) == "q"
    assert cut(tool.params[0].type) == "Array<string>, required"
    assert cut(tool.returns) == "number"


def test_places_of_a_compact_tool() -> None:
    """The compact format has places as well."""
    text = "tool: search(q)\n  params:\n    q: string[]  # what\n"
    (tool,) = read(text).tools

    assert text[tool.name.start : tool.name.end] == "search"
    assert text[tool.params[0].type.start : tool.params[0].type.end] == "string[]"
    assert text[tool.span.start : tool.span.end] == text.rstrip()


WORDS = [
    "# S",
    "## getX",
    "## note",
    "### Params",
    "### Output",
    "### Notes",
    "- `a` (string): b",
    "- c",
    "tool: f(a=1)",
    "  params:",
    "    a: string",
    "```",
    "~~~ts",
    "<!--",
    "-->",
    "> q",
    "    code",
    "text",
    "*Version: 2*",
    "===",
    "---",
    "",
    "",
    " x ",
    " y ",
    "",
    "-",
    "-",
    "**Params**",
    "\\## z",
    "tool: ",
    "{ a: b }",
    "function f(a)",
    "",
]


def accounted(manifest: Manifest, findings: tuple[Finding, ...], text: str) -> str:
    """Return all text that is in the manifest or in the place of a finding."""

    def note(one: Note) -> str:
        return f"{one.title}\n{one.text}"

    def param(one: Param) -> str:
        return f"{one.name} {one.type} {one.description} {one.default}"

    parts = [manifest.name, manifest.description, manifest.version, *map(note, manifest.notes)]
    for tool in manifest.tools:
        parts += [tool.name, tool.description, tool.returns, tool.sample_code]
        parts += [*map(note, tool.notes), *map(param, tool.params), repr(tool.behavior)]
    parts += [text[finding.span.start : finding.span.end] for finding in findings]
    return "\n".join(parts)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_no_word_is_dropped(lines: list[str]) -> None:
    """Every word of a text ends up in a tool, a note or the place of a finding."""
    lines = [
        line + f" w{number}w" if line[-1:].isalpha() else line for number, line in enumerate(lines)
    ]
    text = "\n".join(lines)
    report = check(text)
    kept = accounted(report.manifest, report.findings, text)

    for number in range(len(lines)):
        word = f"w{number}w"
        assert word in kept or word not in text, (word, text)


@settings(deadline=None)
@given(st.text(alphabet="#`- :|()<>{}[]\"'=,?*_\\\n\ttool:params", max_size=200))
def test_no_text_makes_it_raise(text: str) -> None:
    """Reading and checking any text gives a manifest and findings inside the text."""
    report = check(text)

    for finding in report.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)


@pytest.mark.parametrize("marks", ["> ", "- ", "1. "])
def test_text_nested_too_deep_has_a_finding(marks: str) -> None:
    """A hundred quotes or lists inside each other are read; one more is reported."""
    deep = f"# S\n\n{marks * 100}text\n"
    deeper = f"# S\n\n{marks * 101}text\n\n{marks * 101}more\n"

    assert "nested-too-deep" not in [finding.rule for finding in read(deep).findings]
    (finding,) = read(deeper).findings
    assert finding.rule == "nested-too-deep"
    assert deeper[finding.span.start :].startswith(f"{marks}text\n")


def test_fields_nested_too_deep_are_text_with_a_finding() -> None:
    """Six levels of fields are a type; the seventh is text and has a finding."""
    lines = [f"{'  ' * depth}- `f{depth}` (object): x" for depth in range(8)]
    six, seven = ("\n".join(["## t", "### Params", *lines[:count], ""]) for count in (7, 8))

    assert read(six).findings == ()
    (finding,) = read(seven).findings
    assert finding.rule == "nested-too-deep"
    assert seven[finding.span.start : finding.span.end] == "f6"
    assert "`f7`" in parse(seven).tools[0].params[0].type


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text",
    [
        "## getX\n### Params\n- `a` (" + "(" * 100_000,
        "## getX\n### Params\n- `a` (" + "a<" * 50_000,
        "## getX\n### Params\n- " + "` `` " * 20_000,
        "## getX\n### Params\n- `a` (" + "\"' " * 30_000,
        "## " + "`" * 100_000 + "a\n### Params\n",
        "## getX\n### Params\n" + "- `a`\n" * 2_000,
        "## getX\n### Output\n```ts\n" + "{a:" * 30_000,
        "## getX\n### Output\n```json\n" + "[" * 100_000 + "\n```",
        "tool: f(a)\n" + "  ```js\n" * 12_000,
        "tool: f("
        + ",".join(f"a{n} = 'x'" for n in range(2_000))
        + ")\n  params:\n"
        + "".join(f"    a{n}: number\n" for n in range(2_000)),
        "## getX\n### Params\n- a: string = " + " " * 100_000 + "x",
        "## getX\n### Params\n- a: " + "A | " * 25_000 + "A",
        "## getX\n### Params\n- a: " + "A//" * 33_000 + "A",
        "x\u200b " + "9" * 100_000,
    ],
    ids=[
        "round", "angles", "ticks", "quotes", "name", "params", "type", "json", "fences", "call",
        "blanks", "names", "slashes", "digits",
    ],
)  # fmt: skip
def test_hostile_text_takes_linear_time(text: str) -> None:
    """A hundred kilobytes of any text are read and checked within two seconds."""
    assert takes_at_most(2, lambda: check(text))
