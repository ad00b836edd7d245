"""Parameters, in the ways people write them."""

from __future__ import annotations

import asyncio

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.texts import brief, declared, first, listed, section, wordy
from webagent import AgentClient, Param, Tool

case = Cases("params")


@case(
    sdk="A comma inside a type splits it, and the last piece becomes the type.",
    ours="Only commas outside brackets and quotes separate.",
)
def commas_in_types(trial: Trial) -> None:
    """Types with commas are read whole."""
    types = (
        "Array<{ id: string, n: number }>",
        "Map<string, number>",
        "[number, number]",
        "{ a: string, b?: number }",
        '"a, b" | "c"',
    )
    for written in types:
        equal(brief(listed(f"- `p` ({written}, required): x")), [("p", written, True, None)])


@case(
    sdk="A parenthesis inside the parentheses makes the parameter vanish.",
    ours="Parentheses are matched.",
)
def parentheses_in_types(trial: Trial) -> None:
    """Types and defaults with parentheses are read whole."""
    equal(brief(listed("- `f` ((x: string) => void, required): x"))[0][1], "(x: string) => void")
    equal(brief(listed("- `a` ((string | number)[], required): x"))[0][1], "(string | number)[]")
    equal(brief(listed("- `d` (Date, optional, default=Date.now()): x"))[0][3], "Date.now()")
    equal(brief(listed('- `d` (string, optional, default="a (b)"): x'))[0][3], '"a (b)"')


@case(
    sdk="A default with a comma is cut, and its rest becomes the type.",
    ours="Quotes and brackets hold a default together.",
)
def commas_in_defaults(trial: Trial) -> None:
    """Defaults with commas are read whole."""
    for kind, default in (
        ("string", '"a, b"'),
        ("array", "[1, 2, 3]"),
        ("object", '{"a":1,"b":2}'),
    ):
        found = brief(listed(f"- `p` ({kind}, optional, default={default}): x"))
        equal(found, [("p", kind, False, default)])


@case(
    sdk="A word it does not know, `Required` or `min 1`, replaces the type.",
    ours="Such words are part of the description; the type stays.",
)
def unknown_modifiers(trial: Trial) -> None:
    """Unknown modifiers leave type, need and default alone."""
    for written, wanted in (
        ("string, Required", ("string", True, None)),
        ("string, required, max 200 chars", ("string", True, None)),
        ("number, default: 20", ("number", False, "20")),
        ("number, optional, default = 20", ("number", False, "20")),
        ("number, optional, min=1", ("number", False, None)),
        ("string, nullable", ("string | null", True, None)),
        ("string, one of a|b, optional", ("string", False, None)),
    ):
        equal((written, brief(listed(f"- `q` ({written}): x"))[0][1:]), (written, wanted))


@case(
    sdk="Any other bullet, a bare or bold name, no description, a dash or a table: dropped.",
    ours="All common styles are read.",
)
def styles_of_lists(trial: Trial) -> None:
    """Every common way to list a parameter is read."""
    for line in (
        "* `q` (string, required): x",
        "+ `q` (string, required): x",
        "- **q** (string, required): x",
        "- q (string, required): x",
        "- `q`: x",
        "- `q` (string, required)",
        "- `q` (string, required) - x",
        "- `q` (string, required) — x",
        "- `q?` (string): x",
        "- `q: string` (required): x",
        "1. `q` (string, required): x",
        "| Name | Type |\n|---|---|\n| `q` | string |",
    ):
        equal((line, [(p.name, p.type) for p in listed(line)]), (line, [("q", "string")]))


@case(
    sdk="Names with `$`, `-`, `.`, `[]` or `...` are dropped.",
    ours="They are kept, and declared under a name that TypeScript accepts.",
)
def names_of_params(trial: Trial) -> None:
    """Names that real interfaces have are read."""
    for name in ("$filter", "user-id", "page.size", "...ids", "ids[]"):
        text = section(f"### Params\n- `{name}` (string): x")
        equal([param.name for param in first(text).params], [name])
        trial.compiles(declared(text))


@case(
    sdk="Only the first line of a description is read.",
    ours="All that belongs to the list item.",
)
def continued_descriptions(trial: Trial) -> None:
    """Further lines and paragraphs of an item join the description."""
    (param,) = listed("- `q` (string, required): One.", "  Two.", "", "  Three.")
    holds("Two." in param.description and "Three." in param.description, param.description)


@case(
    sdk="The fields of an object, as nested bullets, become further parameters.",
    ours="They describe the object.",
)
def nested_bullets(trial: Trial) -> None:
    """Nested bullets do not change how many arguments a call has."""
    lines = (
        "- `filter` (object, required): Filter.",
        "  - `color` (string, optional): Colour.",
        "  - `size` (number, optional): Size.",
        "- `page` (number, required): Page.",
    )
    equal([param.name for param in listed(*lines)], ["filter", "page"])
    code = declared(section("### Params\n" + "\n".join(lines)))
    trial.compiles(code, f"{code}\nglobal.t({{}}, 1);")


@case(
    sdk="An optional parameter before a required one is declared in an order TypeScript refuses.",
    ours="It is declared as `| undefined`, in its place.",
)
def optional_before_required(trial: Trial) -> None:
    """An optional parameter may come before a required one."""
    code = declared(section("### Params\n- `a` (string, optional): x\n- `b` (string, required): x"))
    trial.compiles(code, f"{code}\nglobal.t(undefined, 'b');")


@case(
    sdk="Reserved words and repeated names are declared as they are, and break all declarations.",
    ours="Declared as `class_` and `a2`; both are reported.",
)
def reserved_and_repeated_names(trial: Trial) -> None:
    """A parameter may be called `class`, and one name may come twice."""
    lines = "- `class` (string): x\n- `a` (string): x\n- `a` (string): x"
    trial.compiles(declared(section(f"### Params\n{lines}")))


@case(
    sdk="`int`, `bool`, `list`, `string array` and the like are passed on, and do not resolve.",
    ours="Each becomes the TypeScript it means, with a finding and a fix.",
)
def words_for_types(trial: Trial) -> None:
    """Words of other languages for types become TypeScript."""
    words = ("integer", "int", "float", "bool", "str", "list", "dict", "Date", "datetime")
    words += ("String", "enum", "List<string>", "array of strings", "string array")
    lines = "\n".join(f"- `p{i}` ({word}, required): x" for i, word in enumerate(words))
    code = declared(section(f"### Params\n{lines}"))
    holds("p0: number, p1: number, p2: number, p3: boolean, p4: string" in code, code)
    trial.compiles(code)


@case(
    sdk="An empty default is not mentioned to the model.",
    ours="It is, like any other.",
)
def empty_defaults(trial: Trial) -> None:
    """The context for a model says that a default is the empty text."""
    param = Param(name="a", required=False, default="", description="x")
    agent = AgentClient()
    agent.load_manifest(wordy(Tool(name="t", description="d", params=[param])))
    context = agent.context_for_llm()
    asyncio.run(agent.close())
    (line,) = [line for line in context.split("\n") if "@param a" in line]
    holds("default" in line, line)


@case(
    sdk="`required, default=5` is optional, `default=5, required` is not.",
    ours="The author's words count, in any order.",
)
def order_of_modifiers(trial: Trial) -> None:
    """The order of the modifiers changes nothing."""
    one, two = listed(
        "- `a` (number, required, default=5): x", "- `b` (number, default=5, required): x"
    )
    equal((one.required, one.default), (two.required, two.default))


@case(
    sdk="Parameters below `#### Params` or a bold `**Params**` are not read.",
    ours="They are; `###Params`, which is not a heading, is reported with the remedy.",
)
def other_headings_above_params(trial: Trial) -> None:
    """A deeper heading and a bold line head a list of parameters too."""
    for title in ("#### Params", "**Params**"):
        tool = first(section(f"{title}\n- `a` (string): x\n\n### Sample Code\n```js\nt('a');\n```"))
        equal((title, [param.name for param in tool.params]), (title, ["a"]))
