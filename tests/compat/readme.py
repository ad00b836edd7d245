"""The promises of the SDK's own documentation."""

from __future__ import annotations

import asyncio

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.texts import COMPACT, STORE, brief, declared, first, wordy
from tests.compat.web import META
from webagent import (
    AgentClient,
    Manifest,
    Param,
    Tool,
    build_tool,
    generate_typescript,
    parse,
    validate,
)

case = Cases("readme")


@case(
    sdk="Every `##` section becomes a tool, the documented `## Important` too.",
    ours="A section without anything that only tools have is a note.",
)
def rules_are_no_tool(trial: Trial) -> None:
    """`## Important` with rules is not a tool, and stays in the content."""
    manifest = parse(STORE)
    equal(manifest.tool_names, ["findGoods", "addToBasket"])
    holds("Sign in before" in manifest.content, manifest.content)


@case(
    sdk="A prose title such as `Rate limits & auth` is declared as a member and breaks all of them.",
    ours="Notes are never declared, and names that are not identifiers are quoted.",
)
def prose_titles_are_not_declared(trial: Trial) -> None:
    """A section with a prose title leaves the declarations valid."""
    code = declared("# S\n\n## Rate limits & auth\nTen a minute.\n\n## ping\nd\n\n### Params\n")
    trial.compiles(code)
    holds("Rate limits" not in code, code)


@case(
    sdk="`number?` of the documented compact example stays the type, which is not TypeScript.",
    ours="`?` behind a type says that the parameter is optional.",
)
def question_marks_mean_optional(trial: Trial) -> None:
    """`limit: number?` is an optional number."""
    manifest = parse(COMPACT)
    word = ("word", "string", True, None)
    equal(brief(manifest.tools[0].params), [word, ("limit", "number", False, "20")])
    trial.compiles(generate_typescript(manifest))


@case(
    sdk="`b: number?` is required unless the signature has a default.",
    ours="It is optional.",
)
def question_marks_need_no_default(trial: Trial) -> None:
    """`?` alone makes a compact parameter optional."""
    params = first("tool: f(a, b)\n  params:\n    a: string\n    b: number?\n").params
    equal([param.required for param in params], [True, False])


@case(
    sdk="The documented `string (max 200 chars)` is taken for a type.",
    ours="The type is `string`, the rest describes the parameter.",
)
def remarks_are_no_type(trial: Trial) -> None:
    """Parentheses behind a compact type are a description."""
    text = "tool: find(q)\n  description: Finds.\n  params:\n    q: string (max 200 chars)\n"
    (param,) = first(text).params
    equal(param.type, "string")
    holds("max 200 chars" in param.description, param.description)
    trial.compiles(declared(text))


@case(
    sdk="`validate` promises to check names and parameters, and looks at neither.",
    ours="It reports names that are not identifiers, duplicates, unknown types and order.",
)
def validate_checks_names_and_params(trial: Trial) -> None:
    """Bad names, types, duplicates and order are each reported."""
    broken = Tool(
        name="bad name!",
        description="d",
        sample_code="x()",
        params=[
            Param(name="first", required=False),
            Param(name="twice"),
            Param(name="twice"),
            Param(name="odd", type="no such type"),
        ],
    )
    said = "\n".join(validate(wordy(broken)))
    for word in ("bad name!", "first", "twice", "no such type"):
        holds(word in said, said)
    trial.compiles(generate_typescript(wordy(broken)))


@case(
    sdk="Declarations have multi-line comments and one-line return types, unlike the documented ones.",
    ours="One-line comments, and the members of a returned object on lines of their own.",
)
def declarations_look_as_documented(trial: Trial) -> None:
    """A tool with a one-line description is declared the way the documentation shows."""
    code = declared(STORE)
    holds("  /** Find goods by a word. */\n" in code, code)
    holds(
        "Promise<{\n    goods: Array<{ id: string; name: string; price: number }>;\n" in code, code
    )
    holds("\n    total: number;\n  }>;\n" in code, code)


@case(
    sdk="`context_for_llm` sends the whole file beside the declarations: each tool twice.",
    ours="Declarations, and of the rest only what is not in them.",
)
def context_has_each_tool_once(trial: Trial) -> None:
    """The context for a model holds each description once, and the rules."""
    agent = AgentClient()
    agent.load_manifest(parse(STORE))
    context = agent.context_for_llm()
    asyncio.run(agent.close())
    equal(context.count("Find goods by a word."), 1)
    equal(context.count("Sign in before you touch the basket."), 1)


@case(
    sdk="`detect` raises the HTTP library's own error if the announced manifest is missing.",
    ours="An error of this package; None, as documented, if the site has no manifest at all.",
    decision=(
        "The documentation reads as if None covered this too. A site that announces a manifest it "
        "does not serve is broken, and its owner should hear so; None would hide that."
    ),
)
def a_missing_manifest_is_a_typed_error(trial: Trial) -> None:
    """An announced manifest that is missing raises an error that `webagent` defines."""
    origin = trial.web.site({"/": META.format("/gone.md")})

    async def detect() -> None:
        async with AgentClient() as agent:
            await agent.detect(f"{origin}/")

    try:
        asyncio.run(detect())
    except Exception as error:
        holds(type(error).__module__.startswith("webagent"), error)
    else:
        raise AssertionError("a manifest that is not there was detected")


@case(
    sdk="`build_tool` knows neither return type nor optional parameters.",
    ours="It takes `returns=`, and `Param` objects among the tuples.",
)
def build_tool_builds_any_tool(trial: Trial) -> None:
    """A tool with return type and optional parameter is built in one call."""
    tool = build_tool(
        "find",
        "Finds.",
        params=[("q", "string", "What."), Param(name="n", type="number", required=False)],
        returns="string[]",
    )
    equal(tool.returns, "string[]")
    equal([param.required for param in tool.params], [True, False])


@case(
    sdk="The version of a manifest is always 0.1; no document can say another.",
    ours="`*Version: 2.1*` below the title.",
)
def documents_have_versions(trial: Trial) -> None:
    """The version line sets the version and is not a description."""
    manifest: Manifest = parse("# S\n\n*Version: 2.1*\n\nAbout.\n\n## t\nd\n\n### Params\n")
    equal((manifest.version, manifest.description), ("2.1", "About."))
