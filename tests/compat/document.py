"""The structure of a document: headings, fences, comments, line ends."""

from __future__ import annotations

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.texts import COMPACT, STORE, declared, first, section
from webagent import generate_typescript, parse
from webagent.site import validate_markdown

case = Cases("document")

TOOL = "### Params\n- `q` (string, required): What.\n"


@case(
    sdk="`## ` inside a fence starts a tool, and the code before it is cut off.",
    ours="A fence holds text, whatever it looks like.",
)
def fences_hold_headings(trial: Trial) -> None:
    """A heading inside sample code is code."""
    code = "await global.post(`\n## Title\ntext\n`);"
    post = section(f"### Sample Code\n```js\n{code}\n```", "post")
    manifest = parse(f"{post}\n## next\nd\n\n{TOOL}")
    equal(manifest.tool_names, ["post", "next"])
    equal(manifest.tools[0].sample_code, code)


@case(
    sdk="`### ` inside a fence ends the subsection, and what follows is read as parameters.",
    ours="A fence holds text.",
)
def fences_hold_subsections(trial: Trial) -> None:
    """A subsection's heading inside sample code is code."""
    code = "await global.post(`\n### Params\n- `x` (string): y\n`);"
    tool = first(section(f"### Sample Code\n```js\n{code}\n```"))
    equal((tool.sample_code, tool.params), (code, []))


@case(
    sdk="A `# comment` of a shell example in the introduction becomes the site's name.",
    ours="The first heading outside fences is the name.",
)
def fences_hold_titles(trial: Trial) -> None:
    """A comment in a fence is not the title."""
    manifest = parse(f"# My Store\nFirst:\n```bash\n# install it\nnpm i\n```\n\n## t\nd\n\n{TOOL}")
    equal(manifest.name, "My Store")
    holds("# install it" in manifest.description, manifest.description)


@case(
    sdk="One line that starts with `tool: `, even in a fence, drops every tool with a heading.",
    ours="A file may have both formats, and prose does not start a tool.",
)
def one_line_does_not_decide_the_format(trial: Trial) -> None:
    """`tool: ` in prose or in a fence leaves the tools with headings alone."""
    names = ["findGoods", "addToBasket"]
    equal(parse(f"{STORE}\n## Notes\ntool: calls are logged.\n").tool_names, names)
    equal(parse(f"{STORE}\n## Notes\n```\ntool: findGoods(word)\n```\n").tool_names, names)


@case(
    sdk="Of two titles the last wins, and the texts below both are glued together.",
    ours="The first is the name, a later one the heading of a note.",
)
def the_first_title_wins(trial: Trial) -> None:
    """A second first-level heading does not rename the site."""
    manifest = parse(f"# Store\nAbout.\n\n# Appendix\nMore.\n\n## t\nd\n\n{TOOL}")
    equal((manifest.name, manifest.description), ("Store", "About."))


@case(
    sdk="Without a title, the introduction is lost.",
    ours="It is the description.",
)
def an_introduction_needs_no_title(trial: Trial) -> None:
    """Text before the first section is the description."""
    equal(parse(f"Welcome.\n\n## t\nd\n\n{TOOL}").description, "Welcome.")


@case(
    sdk="Underlined, indented, tabbed and closed headings are not headings.",
    ours="All headings of CommonMark are.",
)
def headings_are_those_of_commonmark(trial: Trial) -> None:
    """Every spelling of a heading is one."""
    equal(parse(f"Store\n=====\nAbout.\n\n## t\nd\n\n{TOOL}").name, "Store")
    for heading in ("search\n------", "##\tsearch", " ## search", "## search ##"):
        equal((heading, parse(f"# S\n\n{heading}\nd\n\n{TOOL}").tool_names), (heading, ["search"]))


@case(
    sdk="Backticks, bold, numbering, `global.` and parentheses become part of the name.",
    ours="The name is what a caller writes; a remark behind it joins the description.",
)
def decoration_is_no_name(trial: Trial) -> None:
    """A decorated heading names the bare function."""
    headings = (
        "`search`",
        "search(query)",
        "global.search",
        "**search**",
        "search — find things",
        "1. search",
    )
    for heading in headings:
        names = parse(f"# S\n\n## {heading}\nd\n\n{TOOL}").tool_names
        equal((heading, names), (heading, ["search"]))


@case(
    sdk="Text in comments is read all the same.",
    ours="Comments are not read; `check` mentions them.",
)
def comments_are_not_read(trial: Trial) -> None:
    """A tool in a comment does not exist."""
    draft = f"<!--\n## draftTool\nnot ready\n\n{TOOL}-->"
    equal(parse(f"# S\n\n{draft}\n\n## live\nd\n\n{TOOL}").tool_names, ["live"])


@case(
    sdk="With Windows line ends, fences are not recognised and end up in the types.",
    ours="LF, CRLF and CR all end lines.",
)
def windows_line_ends(trial: Trial) -> None:
    """A file with CRLF reads like the same file with LF."""
    manifest = parse(STORE.replace("\n", "\r\n"))
    equal(manifest.tools, parse(STORE).tools)
    trial.compiles(generate_typescript(manifest))


@case(
    sdk="A byte order mark costs the file its name and description.",
    ours="It is ignored.",
)
def byte_order_marks(trial: Trial) -> None:
    """A file with a byte order mark has its name."""
    manifest = parse(f"\ufeff# Store\nAbout.\n\n## t\nd\n\n{TOOL}")
    equal((manifest.name, manifest.description), ("Store", "About."))


@case(
    sdk="Unicode separators (U+2028, vertical tab, …) end a line and cut descriptions.",
    ours="They are text.",
)
def separators_end_no_line(trial: Trial) -> None:
    """A description goes on behind a Unicode separator."""
    for mark in ("\u2028", "\x0b", "\x0c", "\x85"):
        (param,) = first(section(f"### Params\n- `q` (string, required): one{mark}two")).params
        holds("one" in param.description and "two" in param.description, param.description)


@case(
    sdk="Only three backticks and one bare word make a fence.",
    ours="All fences of CommonMark do.",
)
def fences_are_those_of_commonmark(trial: Trial) -> None:
    """Tildes, longer runs, and any info string make a fence."""
    for mark, info in (("~~~", "ts"), ("```", "ts title=x"), ("```", "ts "), ("```", " ts")):
        tool = first(section(f"### Output\n{mark}{info}\n{{ id: string }}\n{mark}"))
        equal((mark + info, tool.returns), (mark + info, "{ id: string }"))
    for info in ("c++", "js title=x"):
        tool = first(section(f"### Sample Code\n```{info}\nf();\n```"))
        equal((info, tool.sample_code), (info, "f();"))


@case(
    sdk="Three backticks inside a longer fence end it.",
    ours="Only a fence as long as the first does.",
)
def long_fences_hold_short_ones(trial: Trial) -> None:
    """A fence of four backticks holds one of three."""
    code = "await global.t(`\n```js\n1\n```\n`);"
    equal(first(section(f"### Sample Code\n````js\n{code}\n````")).sample_code, code)


@case(
    sdk="An unclosed fence leaves its marks in the type.",
    ours="It ends with the file, as in CommonMark, and is reported.",
)
def unclosed_fences_leave_no_mark(trial: Trial) -> None:
    """The type in an unclosed fence has no backticks."""
    text = section("### Output\n```typescript\n{ id: string }")
    equal(first(text).returns, "{ id: string }")
    trial.compiles(declared(text))


@case(
    sdk="`### Parameters`, `### Arguments`, `### Params:` and the like are ignored without a word.",
    ours="Common synonyms and decorations are understood.",
)
def synonyms_of_params(trial: Trial) -> None:
    """Every usual title above a list of parameters is understood."""
    for title in (
        "Parameters",
        "Arguments",
        "Params:",
        "**Params**",
        "Params (query)",
        "PARAMS",
        "Param",
    ):
        params = first(section(f"### {title}\n- `a` (string): x")).params
        equal((title, len(params)), (title, 1))


@case(
    sdk="Other subsections of a tool, such as `### Errors`, vanish.",
    ours="They are kept as the tool's notes.",
)
def other_subsections_are_kept(trial: Trial) -> None:
    """Text of an unknown subsection is part of the tool."""
    tool = first(section(f"{TOOL}\n### Errors\nThrows NotLoggedIn."))
    holds("NotLoggedIn" in tool.model_dump_json(), tool)


@case(
    sdk="Two tools of one name are both declared; of two `### Params` the last wins.",
    ours="The first tool is declared; both lists of parameters count; both are reported.",
)
def duplicates(trial: Trial) -> None:
    """One name is declared once, and no list of parameters is lost."""
    twice = f"# S\n\n## t\none\n\n{TOOL}\n## t\ntwo\n\n{TOOL}"
    equal(declared(twice).count(" t("), 1)
    both = first(section("### Params\n- `a` (string): x\n\n### Params\n- `b` (string): x"))
    equal([param.name for param in both.params], ["a", "b"])


@case(
    sdk="An empty heading is a tool without a name.",
    ours="It is not a tool.",
)
def empty_headings(trial: Trial) -> None:
    """`##` with nothing behind it makes no tool."""
    equal(parse(f"# S\n\n## \n\n## t\nd\n\n{TOOL}").tool_names, ["t"])


@case(
    sdk="`tool:` with nothing behind it raises ValueError.",
    ours="No text makes `parse` raise.",
)
def parse_never_raises(trial: Trial) -> None:
    """An empty compact header raises nothing and hides nothing."""
    equal(parse("tool: \ntool: a()\n  description: x\n").tool_names, ["a"])


GUIDE = """# Agents of the future

A guide for teams.

## Role
You are a careful planner.

## Mission
Help people.

## Architecture
- agents
- orchestration

## Roadmap
1. now
2. later
"""


@case(
    sdk="A prose guide of the same file name yields a tool per heading; so does an HTML page.",
    ours="No tools, and a finding that says so.",
)
def foreign_documents(trial: Trial) -> None:
    """A document without any tool yields none."""
    equal(parse(GUIDE).tool_names, [])
    equal(parse("<!doctype html><html><body>\n# not\n## found\n404</body></html>").tool_names, [])
    holds(validate_markdown(GUIDE), "no warning")
    equal(len(parse(COMPACT).tools), 2)
