"""Types for a site's own code: its functions fit the manifest, or its build fails."""

from __future__ import annotations

import pytest

from tests.tsc import COMPILER, MANIFEST, compile_errors
from webagent import parse
from webagent.codegen import TakenTypeName, generate_page_types

RIGHT = "globalThis.search = async (query, limit = 20) => [{ id: query, price: limit }];\n"


def errors(code: str, manifest: str = MANIFEST) -> list[str]:
    """Return what the compiler says of the code of a site next to its types."""
    # Alone, since each program declares the same globals.
    return compile_errors({"site": generate_page_types(parse(manifest)) + code}).get("site", [])


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    [
        RIGHT,
        RIGHT.replace("globalThis", "window"),
        RIGHT.replace("async ", ""),
        'const found = await search("tea", 3); const price: number = found[0]!.price;\n',
    ],
)
def test_functions_that_fit_compile(code: str) -> None:
    """Those that wait for something, and those that do not; the declared ones can be called."""
    assert errors(code) == []


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    [
        RIGHT.replace("price: limit", "prize: limit"),
        RIGHT.replace("(query, ", "(query: number, "),
        RIGHT.replace("limit = 20", "limit: number | undefined, page: number"),
        "globalThis.search = 5;\n",
    ],
)
def test_functions_that_do_not_fit_are_errors(code: str) -> None:
    """The result, a parameter, one too many, no function at all."""
    assert any("is not assignable" in error or "does not exist" in error for error in errors(code))


@pytest.mark.process
def test_names_that_typescript_has_already_are_left_out() -> None:
    """Each name of the browser, of Node and of the language may be a tool, and the types compile."""
    folder = COMPILER.parents[1] / "@typescript"
    (library,) = folder.glob("*/lib")
    files = [*library.glob("lib.dom*.d.ts"), *library.glob("lib.es*.d.ts")]
    text = "\n".join(file.read_text() for file in files)
    starts = ("declare var ", "declare function ", "declare const ", "declare let ")
    declared = {
        line.removeprefix(start).split(":")[0].split("(")[0].split("<")[0].strip()
        for line in text.splitlines()
        for start in starts
        if line.startswith(start)
    }
    assert {"print", "name", "parseInt", "onload", "Event", "structuredClone"} <= declared
    words = ["delete", "let", "globalThis", "process", "require", "webagent", "findBooks"]
    tools = "".join(f"\n## {name}\nDo.\n\n### Params\n" for name in sorted(declared) + words)
    types = generate_page_types(parse(f"# Shop\n{tools}"))

    assert compile_errors({"site": types}) == {}
    assert [line for line in types.splitlines() if line.startswith("  var ")] == [
        '  var findBooks: Implements<WebAgentTools>["findBooks"];'
    ]


def test_a_shared_type_with_a_taken_name_is_refused() -> None:
    """It would be declared twice."""
    with pytest.raises(TakenTypeName, match="rename it in the manifest"):
        generate_page_types(parse(MANIFEST.replace("Product", "WebAgentTools")))
