"""The compact format."""

from __future__ import annotations

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.texts import brief, declared, first
from webagent import parse

case = Cases("compact")


@case(
    sdk="Parameters come in the order of `params:`, so calls pass them in the wrong places.",
    ours="In the order of the signature.",
)
def order_of_the_signature(trial: Trial) -> None:
    """The signature decides the order."""
    text = "tool: add(id, count=1)\n  params:\n    count: number\n    id: string\n"
    equal(
        brief(first(text).params), [("id", "string", True, None), ("count", "number", False, "1")]
    )
    trial.compiles(declared(text))


@case(
    sdk="Parameters that `params:` does not list vanish from the signature.",
    ours="They stay.",
)
def unlisted_params(trial: Trial) -> None:
    """`params:` may describe some of the parameters only."""
    params = first("tool: search(query, limit=20)\n  params:\n    limit: number\n").params
    equal([param.name for param in params], ["query", "limit"])


@case(
    sdk="Types, return arrows, and commas or parentheses in defaults are not understood.",
    ours="They are; `{ a, b }` names no parameter and is reported.",
)
def typed_signatures(trial: Trial) -> None:
    """A signature may say all that TypeScript can."""
    for signature, params, returns in (
        (
            "f(q: string, n: number = 20)",
            [("q", "string", True, None), ("n", "number", False, "20")],
            "",
        ),
        ("f(q) -> Result[]", [("q", "string", True, None)], "Result[]"),
        ('f(q="a,b")', [("q", "string", False, '"a,b"')], ""),
        ("f(o={a: 1, b: 2})", [("o", "object", False, "{a: 1, b: 2}")], ""),
        ("f(d=Date.now())", [("d", "string", False, "Date.now()")], ""),
    ):
        tool = first(f"tool: {signature}\n  description: d\n")
        names = [(p.name, p.required, p.default) for p in tool.params]
        equal((signature, names), (signature, [(n, r, d) for n, _, r, d in params]))
        equal((signature, tool.returns), (signature, returns))


@case(
    sdk="With any indent but two spaces every field is lost.",
    ours="Any indent will do, tabs too.",
)
def any_indent(trial: Trial) -> None:
    """Fields are read at every indent."""
    for indent in ("    ", "\t", "   "):
        text = f"tool: search(n)\n{indent}description: Find\n{indent}params:\n"
        tool = first(f"{text}{indent}{indent}n: number\n")
        equal((tool.description, brief(tool.params)), ("Find", [("n", "number", True, None)]))


@case(
    sdk="Text behind the last tool is swallowed by its last field, as parameters even.",
    ours="A tool ends with its last indented line.",
)
def text_behind_the_last_tool(trial: Trial) -> None:
    """A section behind a compact tool is a section."""
    notes = "## Notes\n- Rate limit: 10/min\n- See https://x.example/docs\n"
    manifest = parse(f"tool: s(query)\n  params:\n    query: string\n\n{notes}")
    equal([param.name for param in manifest.tools[0].params], ["query"])


@case(
    sdk="A description behind a type is taken for a part of it.",
    ours="Dashes and `#` separate.",
)
def descriptions_behind_types(trial: Trial) -> None:
    """Type and description on one line are told apart."""
    params = "    q: string - Search text\n    n: number  # how many\n"
    text = f"tool: s(q, n)\n  params:\n{params}"
    found = [(param.type, param.description) for param in first(text).params]
    equal(found, [("string", "Search text"), ("number", "how many")])
    trial.compiles(declared(text))


@case(
    sdk="A line `Note: …` of a description starts a field and ends the text.",
    ours="Only names of fields start fields.",
)
def colons_in_descriptions(trial: Trial) -> None:
    """A word with a colon inside a description is text."""
    tool = first("tool: s(q)\n  description: |\n  Finds things.\n  Note: slow.\n")
    holds("slow" in tool.description, tool.description)


@case(
    sdk="A header it cannot read becomes part of the site's description, tool and all.",
    ours="It is read.",
)
def defaults_that_are_calls(trial: Trial) -> None:
    """A first tool with a call as default is a tool."""
    text = "# S\nAbout.\n\ntool: a(x=f())\n  description: A\n\ntool: b(y)\n  description: B\n"
    manifest = parse(text)
    equal((manifest.description, manifest.tool_names), ("About.", ["a", "b"]))


@case(
    sdk="The marks `>` and `|-` stay in the description.",
    ours="They are read as YAML does.",
)
def block_marks(trial: Trial) -> None:
    """Folded and stripped blocks are text without marks."""
    folded = first("tool: s(q)\n  description: >\n    Folded\n    text\n")
    stripped = first("tool: s(q)\n  description: |-\n    x\n")
    equal((folded.description, stripped.description), ("Folded text", "x"))


@case(
    sdk="The second and later lines of fenced sample code keep the indent of the file.",
    ours="The indent is taken off.",
)
def indented_samples(trial: Trial) -> None:
    """Sample code starts in the first column."""
    code = "    ```js\n    const a = 1;\n    await global.s(a);\n    ```\n"
    equal(
        first(f"tool: s(q)\n  sample_code:\n{code}").sample_code,
        "const a = 1;\nawait global.s(a);",
    )


@case(
    sdk="`tool:` inside a fence starts a tool.",
    ours="A fence holds text.",
)
def fences_hold_tools(trial: Trial) -> None:
    """An example of the format in a fence is not a tool."""
    example = "```\ntool: example(x)\n  description: y\n```"
    text = f"# S\nFormat:\n{example}\n\ntool: real(q)\n  description: z\n"
    equal(parse(text).tool_names, ["real"])


@case(
    sdk="`tool:f()`, `Tool: f()`, `- tool: f()` and an indented `tool:` are not tools.",
    ours="They are.",
)
def spellings_of_tool(trial: Trial) -> None:
    """The header may be written without a space, in capitals, as a bullet, or indented."""
    for header in ("tool:search(q)", "Tool: search(q)", "- tool: search(q)", "  tool: search(q)"):
        names = parse(f"# S\n\n{header}\n    description: d\n").tool_names
        equal((header, names), (header, ["search"]))
