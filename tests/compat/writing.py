"""From a manifest to Markdown and back."""

from __future__ import annotations

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.texts import STORE, wordy
from webagent import Manifest, Param, Tool, parse, to_markdown

case = Cases("writing")


def again(manifest: Manifest) -> Manifest:
    """Return the manifest after a way through Markdown."""
    return parse(to_markdown(manifest))


@case(
    sdk="Custom subsections and the version are not written.",
    ours="Notes, subsections and version are.",
)
def everything_is_written(trial: Trial) -> None:
    """Text outside of the tools is written too, and is read again unchanged."""
    text = "# S\n\nAbout.\n\n## Workflows\n1. search\n2. buy\n\n## search\nFind.\n\n### Params\n"
    manifest = parse(f"{text}\n### Errors\nThrows.\n")
    manifest.version = "2.0"
    written = to_markdown(manifest)
    for part in ("## Workflows", "1. search", "### Errors", "Throws.", "2.0"):
        holds(part in written, written)
    equal(parse(written).tool_names, ["search"])


@case(
    sdk="A parameter without description is written so that it is not read again.",
    ours="It is read again.",
)
def params_without_description(trial: Trial) -> None:
    """Every parameter survives, with a description or without."""
    tool = Tool(name="t", description="d", params=[Param(name="q"), Param(name="n")])
    equal([param.name for param in again(wordy(tool)).tools[0].params], ["q", "n"])


@case(
    sdk="Types and defaults with commas or parentheses come back as others.",
    ours="They come back as they were.",
)
def types_and_defaults(trial: Trial) -> None:
    """Types and defaults survive."""
    params = [
        Param(name="a", type="Array<{ id: string, n: number }>", description="x"),
        Param(name="b", required=False, default="a, b", description="x"),
        Param(name="c", type="(x: string) => void", description="x"),
    ]
    tool = Tool(name="t", description="d", params=params)
    equal(again(wordy(tool)).tools[0].params, params)


@case(
    sdk="A required parameter with a default comes back optional.",
    ours="Required stays required.",
)
def required_with_default(trial: Trial) -> None:
    """Need and default survive together."""
    tool = Tool(name="t", description="d", params=[Param(name="a", default="1", description="x")])
    equal(again(wordy(tool)).tools[0].params[0].required, True)


@case(
    sdk="Lines of a description that look like headings become headings.",
    ours="They are guarded by a backslash, which reading takes off.",
)
def descriptions_stay_text(trial: Trial) -> None:
    """A description never changes the structure."""
    for text in ("x\n## y\nz", "x\ntool: y(z)\nz", "x\n### Params\n- `q`: z", "x\n\n# y"):
        tools = again(wordy(Tool(name="t", description=text), Tool(name="u"))).tools
        equal([tool.name for tool in tools], ["t", "u"])
        equal(tools[0].description, text)
    equal(again(wordy(Tool(name="t"), description="a\n\n# B\nc")).name, "S")


@case(
    sdk="Three backticks in sample code end it; further lines of a parameter's text are lost.",
    ours="Fences are as long as they need be, and lines are kept.",
)
def code_and_lines(trial: Trial) -> None:
    """Sample code and the lines of a description survive."""
    code = "x(`\n```\ny\n```\n`)"
    param = Param(name="a", description="l1\nl2")
    tool = Tool(name="t", description="d", sample_code=code, params=[param])
    equal(again(wordy(tool)).tools[0].sample_code, code)
    equal(again(wordy(tool)).tools[0].params[0].description, "l1\nl2")


@case(
    sdk="A manifest without a name loses its description.",
    ours="It keeps it.",
)
def nameless_manifests(trial: Trial) -> None:
    """A description needs no name."""
    tool = Tool(name="t", description="d")
    equal(again(wordy(tool, name="", description="About")).description, "About")


@case(
    sdk="Sample code in a `js` fence is written in a `javascript` fence.",
    ours="Written as `js`, as the format's examples have it.",
)
def languages_of_fences(trial: Trial) -> None:
    """Writing what was read changes no fence, and a second time nothing."""
    once = to_markdown(parse(STORE))
    holds("```js\n" in once and "```javascript" not in once, once)
    equal(to_markdown(parse(once)), once)
