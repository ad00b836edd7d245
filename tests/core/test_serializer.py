from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.cases import cases
from webagent import (
    Behavior,
    Manifest,
    Note,
    Param,
    Tool,
    normalize,
    parse,
    to_markdown,
    write_file,
)

PIECES = [
    "a",
    "## x",
    "### Params",
    "# t",
    "tool: f(x)",
    "tool\\: y",
    "\\",
    "\\# z",
    "```",
    "```js",
    "~~~",
    "<!--",
    "-->",
    "<!-- c -->",
    "<script>",
    "<div>",
    "- b",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "===",
    "---",
    "**Params**",
    "*Version: 2*",
    "`",
    "``",
    "(",
    ")",
    ",",
    "x, y",
    '"',
    "'",
    "{",
    "}",
    "<",
    ">",
    "?",
    ":",
    "=",
    "default=1",
    "required",
    "string",
    "Array<",
    "${",
    "`a${b}`",
    "...",
    "global.",
    "getCart",
    "search(q)",
    "1. ",
    "*/",
    "\r\n",
    "\u2028",
    "\x00",
    "é",
    "#",
    "function f(a: string): void",
    "```ts\nfunction f(a: string): void\n```",
    "- tool: g(y)",
    "—",
]

texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
words = st.one_of(st.sampled_from(["search", "q", "string", "number"]), texts)
notes = st.one_of(
    st.builds(Note, title=words, text=texts, after=st.integers(0, 3)),
    st.builds(
        lambda text: Note(title="Types", text=f"```ts\ntype search = {text}\n```"),
        st.sampled_from(["string", "{ q: number }", "}"]),
    ),
)
behaviors = st.builds(
    Behavior,
    effect=st.sampled_from(["read", "write", "irreversible", "unknown"]),
    idempotent=st.booleans(),
    paths=st.lists(texts, max_size=2),
    rate=st.sampled_from(["", "10/minute", "often"]),
    inverse=st.sampled_from(["", "`undo`", "_größe", "no name"]),
    timeout_s=st.sampled_from([None, 0.0000001, 0.5, 20, 1e300]),
)
params = st.builds(
    Param,
    name=words,
    type=words,
    description=texts,
    required=st.booleans(),
    default=st.one_of(st.none(), texts),
)
properties = st.dictionaries(
    words,
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "number", "object", ["string", "null"]]),
            "description": texts,
            "enum": st.lists(words, min_size=1, max_size=2),
            "default": st.one_of(words, st.integers()),
            "items": st.just({}),
        },
    ),
    max_size=2,
)
schemas = st.fixed_dictionaries(
    {},
    optional={
        "type": st.just("object"),
        "properties": properties,
        "required": st.lists(words, max_size=1),
        "title": texts,
    },
)
tools = st.builds(
    Tool,
    name=words,
    description=texts,
    params=st.lists(params, max_size=2),
    returns=texts,
    sample_code=texts,
    behavior=behaviors,
    notes=st.lists(st.builds(Note, title=words, text=texts), max_size=1),
    title=st.one_of(st.just(""), words),
    input_schema=st.one_of(st.none(), schemas),
    output_schema=st.one_of(st.none(), schemas),
)
manifests = st.builds(
    Manifest,
    name=words,
    description=texts,
    version=st.sampled_from(["0.1", "1.2", "*2*", ""]),
    tools=st.lists(tools, max_size=2),
    notes=st.lists(notes, max_size=2),
)


def read_back(manifest: Manifest) -> Manifest:
    return parse(to_markdown(manifest)).model_copy(update={"content": ""})


@settings(deadline=None)
@given(manifests)
def test_every_manifest_reads_back(manifest: Manifest) -> None:
    """A written manifest reads back in normal form, and writing that changes nothing."""
    written = to_markdown(manifest)

    assert read_back(manifest) == normalize(manifest)
    assert to_markdown(parse(written)) == written
    assert normalize(normalize(manifest)) == normalize(manifest)


@pytest.mark.parametrize(
    "name", ["", "??", "a ? ?", "a b", "`", "a: string", "...rest", "1", "\u2028"]
)
def test_any_name_of_a_parameter_reads_back(name: str) -> None:
    """Text that cannot be a name is turned into one, and stays the same from then on."""
    manifest = Manifest(tools=[Tool(name="t", params=[Param(name=name)])])

    assert read_back(manifest) == normalize(manifest) == normalize(normalize(manifest))


@pytest.mark.parametrize("text", ["a`", "a` `", "` `a", "a```  ```, b`", "`", "` `"])
def test_backticks_around_titles_and_paths_are_dropped(text: str) -> None:
    """They are neither written nor read."""
    manifest = Manifest(tools=[Tool(name="t", title=text, behavior=Behavior(paths=[text]))])

    assert read_back(manifest) == normalize(manifest) == normalize(normalize(manifest))


@pytest.mark.parametrize(("text", "_"), [*cases("heading"), *cases("compact")])
def test_a_parsed_manifest_is_in_normal_form(text: str, _: str) -> None:
    """Writing it and reading it again changes nothing."""
    manifest = parse(text).model_copy(update={"content": ""})

    assert read_back(manifest) == normalize(manifest)


def test_the_written_format() -> None:
    """Headings, `### Params` for every tool, and fences as long as needed are written."""
    manifest = Manifest(
        name="Shop",
        description="About.",
        version="1.2",
        tools=[
            Tool(
                name="search",
                description="Finds.\n## x",
                params=[
                    Param(name="q"),
                    Param(name="n", type="number", required=False, default="2", description="N."),
                ],
                returns="string[]",
                sample_code="f(`\n```\n`)",
                behavior=Behavior(effect="read", timeout_s=2),
                notes=[Note(title="Errors", text="None.")],
            ),
            Tool(name="ping"),
        ],
        notes=[Note(title="Rules", text="Be kind."), Note(title="End", text="Bye.", after=2)],
    )

    assert to_markdown(manifest) == (
        "# Shop\n\n*Version: 1.2*\n\nAbout.\n\n## Rules\n\nBe kind.\n\n"
        "## search\n\nFinds.\n\\## x\n\n### Params\n\n"
        "- `q` (string, required)\n- `n` (number, optional, default=2): N.\n\n"
        "### Output\n\n```typescript\nstring[]\n```\n\n"
        "### Sample Code\n\n````js\nf(`\n```\n`)\n````\n\n"
        "### Behavior\n\n- effect: read\n- timeout: 2s\n\n### Errors\n\nNone.\n\n"
        "## ping\n\n### Params\n\n## End\n\nBye.\n"
    )


def test_a_note_that_would_be_a_tool_is_marked() -> None:
    """A note with the heading or the subsections of a tool stays a note."""
    manifest = Manifest(notes=[Note(title="getCart"), Note(title="A b", text="### Params")])

    assert "## getCart <!-- note -->" in to_markdown(manifest)
    assert read_back(manifest) == manifest


@pytest.mark.hostile
@pytest.mark.parametrize("piece", ["# a\n-\n", "```\n", "<b>\n# c\n\n", "tool: f()\n", "\\"])
def test_hostile_text_is_written_in_linear_time(piece: str) -> None:
    """A hundred kilobytes of structure in a description are guarded and read back."""
    manifest = Manifest(name="S", description=piece * (100_000 // len(piece)))

    assert read_back(manifest) == normalize(manifest)


@pytest.mark.parametrize("text", ["~~~\n## a\n===\n---", "# a\n===\n---", "<!--\n# a\n=\n-\nc\n-"])
def test_no_line_is_guarded_twice(text: str) -> None:
    """The text has an underline below a heading, and another below that underline."""
    manifest = Manifest(name="S", description=text)

    assert read_back(manifest) == manifest


def test_file_is_utf8_with_lf(tmp_path: Path) -> None:
    """A file is written as UTF-8, with LF at the end of lines on every system."""
    write_file(Manifest(name="Störe", description="a\r\nb"), tmp_path / "w.md")

    assert (tmp_path / "w.md").read_bytes() == "# Störe\n\na\nb\n".encode()
