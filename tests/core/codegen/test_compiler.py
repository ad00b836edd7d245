"""TypeScript's own compiler accepts the types and declarations that we print."""

import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.core.tstypes.strategies import types
from tests.tsc import compile_errors
from webagent import Manifest, Note, Param, Tool, generate_typescript
from webagent.tstypes import print_type
from webagent.tstypes.nodes import Type

pytestmark = pytest.mark.process
MANY = settings(
    max_examples=150,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
BOOK = "interface Book { id: string; a?: Book[]; size: number }\ntype Genre = 'a' | 'b'"


def drawn(strategy: st.SearchStrategy[list[Type]]) -> list[list[Type]]:
    """Return what a strategy draws, for one run of the compiler over all of it."""
    found: list[list[Type]] = []

    @MANY
    @given(strategy)
    def collect(value: list[Type]) -> None:
        found.append(value)

    collect()
    return found


def test_every_printed_type_is_typescript() -> None:
    """The compiler parses each printed type; its meaning is not tested here."""
    programs = {
        str(index): "".join(f"type T{n} = {print_type(node)};\n" for n, node in enumerate(nodes))
        for index, nodes in enumerate(drawn(st.lists(types(), min_size=1, max_size=4)))
    }
    syntax = re.compile(r"\d+:\d+ TS1\d\d\d:")
    refused = {
        programs[name]: [error for error in errors if syntax.match(error)]
        for name, errors in compile_errors(programs).items()
    }

    assert len(programs) > 100
    assert not {text: errors for text, errors in refused.items() if errors}


def test_every_declaration_compiles() -> None:
    """`tsc --strict` accepts the declarations of any tools and shared types."""
    programs = {}
    names = ("Book", "X<string>", "Y", "Genre")
    for index, nodes in enumerate(drawn(st.lists(types(), min_size=4, max_size=4))):
        texts = [print_type(node).replace("Foo", names[index % 4]) for node in nodes]
        shared = f"{BOOK}\ntype X<T> = {texts[0]};\ninterface Y extends Book {{ a: {texts[1]} }}"
        local = f"interface L {{ x: {texts[1]}; y?: L[] }}\nL | Y"
        params = [Param(name="a", type=texts[2]), Param(name="b", type=local, required=False)]
        manifest = Manifest(
            notes=[Note(title="Types", text=f"```ts\n{shared}\n```")],
            tools=[Tool(name="f", params=params, returns=texts[3])],
        )
        programs[str(index)] = generate_typescript(manifest)

    refused = compile_errors(programs)

    assert "".join(f"{programs[name]}\n{errors}\n" for name, errors in refused.items()) == ""


def test_circular_types_compile() -> None:
    """If TypeScript refuses a circle, `unknown` is written instead."""
    programs = {
        text: generate_typescript(
            Manifest(notes=[Note(title="Types", text=f"```ts\n{BOOK}\n{text}\n```")])
        )
        for text in (
            "interface Y extends Book { a: keyof Y }",
            "type X<T> = Exclude<1, () => X<string>>",
            "type Z = { a: NonNullable<Z> }",
            "type X<T> = Required<[(() => X<string>)?, ...X<string>[][]]>",
            "type V = 1 | (keyof W extends (infer U)[] ? W : keyof any)\n"
            "interface W extends Book { a: Required<W & unknown & unknown> }",
        )
    }

    assert compile_errors(programs) == {}


def test_shared_types_may_have_names_of_the_page() -> None:
    """Types with names of the DOM compile unchanged."""
    names = ["Event", "Node", "Request", "Window", "Symbol", "Iterable", "global", "Text"]
    shared = "".join(
        f"interface {name} {{ id: string }}\ntype {name}s = {name}[]\n" for name in names
    )
    manifest = Manifest(
        notes=[Note(title="Types", text=f"```ts\n{shared}```")],
        tools=[Tool(name=f"f{name}", returns=f"{name} | {name}s") for name in names],
    )
    code = generate_typescript(manifest)

    assert code.endswith("};\n\nexport {};\n")
    assert compile_errors({"module": code.removesuffix("export {};\n")}) == {}
