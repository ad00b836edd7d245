import pytest

from webagent import Manifest, Note, Tool, check, generate_typescript
from webagent.codegen.types_section import shared_types


def manifest(declarations: str, returns: str = "") -> Manifest:
    note = Note(title="Types", text=f"Shared.\n\n```ts\n{declarations}\n```")
    return Manifest(notes=[note], tools=[Tool(name="f", returns=returns)])


def test_shared_types_are_declared_before_the_tools() -> None:
    """Interfaces stay interfaces, types stay types, comments go with them."""
    given = manifest(
        "/** A book. */\ninterface Book {\n  id: string // its number\n  next?: Book\n}\n"
        "interface Novel extends Book { pages: number }\ntype Page<T> = { items: T[] }",
        "Page<Book>",
    )

    assert generate_typescript(given) == (
        "/** A book. */\ninterface Book {\n  /** its number */ id: string;\n  next?: Book;\n}\n\n"
        "type Novel = Book & { pages: number };\n\ntype Page<T> = { items: T[] };\n\n"
        "declare const global: {\n  f(): Promise<Page<Book>>;\n};\n\nexport {};\n"
    )


@pytest.mark.parametrize(
    ("declarations", "declared"),
    [
        ("type A = Foo", "type A = unknown;"),
        ("type A = A | string", "type A = unknown;"),
        ("type A = B\ntype B = Partial<A>", "type A = unknown;\n\ntype B = unknown;"),
        ("type A = { a: A[] }", "type A = { a: A[] };"),
        ("type A = [Partial<A>]", "type A = unknown;"),
        ("type A = { a?: Partial<A> }", "type A = { a?: Partial<A> };"),
        ("type A = { [K in keyof A]: 1 }", "type A = unknown;"),
        ("type A = { [K in 'a']?: A }", "type A = { [K in 'a']?: A };"),
        ("type A<T> = T extends string ? 1 : T", "type A<T> = T extends string ? 1 : T;"),
        ("type A<T> = { [K in keyof T]?: T[K] }", "type A<T> = { [K in keyof T]?: T[K] };"),
        (
            "type A = { a: B extends { b: { a: 1 } } ? 1 : 2 }\ninterface B { b: A }",
            "type A = unknown;\n\ninterface B {\n  b: A;\n}",
        ),
        ("type A = string\ntype A = number", "type A = string;"),
        ("type K = 'a'\ntype A = Record<K, int>", "type K = 'a';\n\ntype A = Record<K, number>;"),
        ("type A<T> = Record<T, string>", "type A<T> = Record<string, unknown>;"),
        (
            "interface A { x: B['y'] }\ninterface B { y: int }",
            "interface A {\n  x: number;\n}\n\ninterface B {\n  y: number;\n}",
        ),
        ("interface A { x: A['x'] }", "interface A {\n  x: unknown;\n}"),
        ("type A<T> = T\ntype B = A", "type A<T> = T;\n\ntype B = unknown;"),
        ("type A = string\ntype B = {", "type A = string;"),
        ("type string = number", ""),
        ("interface Promise<T> { a: T }", ""),
        ("type A<T, T> = T", ""),
        ("type keyof = 1", ""),
        ("interface A { a: string }; declare const x: 1", "interface A {\n  a: string;\n}"),
    ],
)
def test_declarations_that_would_not_compile_are_changed_or_left_out(
    declarations: str, declared: str
) -> None:
    """The rest of the declarations is written."""
    written = generate_typescript(manifest(declarations))

    block = "declare const global: {\n  f(): Promise<any>;\n};\n"
    assert written == (f"{declared}\n\n{block}\nexport {{}};\n" if declared else block)


@pytest.mark.parametrize(
    ("declarations", "rule", "place", "words"),
    [
        ("type A = string\ntype A = 1", "duplicate-type", (6, 6), "`A` is declared a second time"),
        ("type A = A", "circular-type", (5, 6), "`A` is defined as itself"),
        ("type A = {", "invalid-declaration", (5, 11), "the type ends where"),
        ("enum A { B }\ntype C = 1", "invalid-declaration", (5, 1), "there is `enum`"),
        ("type Date = 1", "invalid-declaration", (5, 6), "`Date` has a meaning"),
        ("type A = Foo", "unknown-type", (5, 10), "`Foo` in the shared type `A`"),
    ],
)
def test_findings_have_their_place_in_the_note(
    declarations: str, rule: str, place: tuple[int, int], words: str
) -> None:
    """A fault of a shared type is reported at its line and column."""
    report = check(f"# S\n\n## Types\n```ts\n{declarations}\n```\n\n## f\nF.\n\n### Params")
    (finding,) = [f for f in report.findings if f.rule == rule]
    at = report.source.position(finding.span.start)

    assert (at.line, at.column) == place
    assert words in finding.message


def test_tools_may_name_shared_types() -> None:
    """The checks know declared names, and report others."""
    report = check(
        "# S\n\n## Types\n```ts\ntype Id = string\n```\n\n## f\nF.\n\n### Params\n"
        "- `a` (Id): A.\n- `b` (Ix): B.\n\n### Output\n`Id[]`"
    )

    assert [f.message for f in report.findings] == [
        "`Ix` in the type of `b` is not declared, so agents see `unknown`"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"type A{i} = A{i - 1} & A{i - 1}\n" for i in range(1, 400)),
        "".join(f"type A{i} = A{i - 1}['x']\n" for i in range(1, 400)),
        "".join(
            f"interface A{i} extends A{i - 1} {{ a{i}: A{i}['a1'] }}\n" for i in range(1, 3000)
        ),
        "type A = " + "{ a: " * 50_000,
        "interface A { x: Pick<A, keyof A>[] }" * 2_000,
    ],
)
def test_hostile_declarations_are_read_in_linear_time(text: str) -> None:
    """Webs of types that name one another cost no more than their length."""
    generate_typescript(manifest(f"type A0 = {{ x: string }}\n{text}"))


def test_other_notes_and_fences_declare_no_types() -> None:
    """The title has to be `Types`, and the fence has to be TypeScript."""
    notes = [Note(title="Kinds", text="```ts\ntype A = 1\n```"), Note(title="Types", text="type A")]

    assert not shared_types(Manifest(notes=notes)).declarations


def test_an_unreadable_declaration_does_not_affect_others() -> None:
    """The finding of an enum says what to write, and the declaration after it is known."""
    report = check(
        "# S\n\n## Types\n```ts\nenum A { B }\ntype Id = string\n```\n\n"
        "## f\nF.\n\n### Params\n\n### Output\n`Id[]`"
    )

    assert [(found.rule, found.help) for found in report.findings] == [
        ("invalid-declaration", 'write an enum as `type Color = "red" | "green"`')
    ]
