import pytest

from tests.core.cases import cases
from webagent import Manifest, Note, Param, Tool, generate_typescript, parse


@pytest.mark.parametrize(("text", "expected"), cases("declarations"))
def test_declarations(text: str, expected: str) -> None:
    """Each case has a manifest and its declarations."""
    assert generate_typescript(parse(text)) == f"{expected}\n"


def test_docs_are_included_on_request() -> None:
    """Parameters, further subsections and sample code are added to the comment."""
    tool = Tool(
        name="find",
        description="Finds.",
        params=[Param(name="q", description="What."), Param(name="n", default="", required=False)],
        sample_code="await global.find('a');",
        notes=[Note(title="Errors", text="Throws.")],
    )

    assert generate_typescript(Manifest(tools=[tool]), docs=True) == (
        "declare const global: {\n"
        "  /**\n"
        "   * Finds.\n"
        "   * Errors: Throws.\n"
        "   * @param q - What.\n"
        "   * @param n - (default: )\n"
        "   * @example\n"
        "   * await global.find('a');\n"
        "   */\n"
        "  find(q: string, n?: string): Promise<any>;\n"
        "};\n"
    )


@pytest.mark.parametrize("text", ["*/", "a */ b", "*\\/*/", "\r*/\r\n*/", "**/", "/*/"])
def test_nothing_closes_a_comment_from_inside(text: str) -> None:
    """A description cannot end its comment early."""
    code = generate_typescript(Manifest(tools=[Tool(name="t", description=text)]))

    assert code.count("*/") == 1


@pytest.mark.parametrize(
    ("written", "declared"),
    [
        ("Record<Foo, string>", "Record<string, unknown>"),
        ("Pick<{ a: string }, 'b'>", "{ a: string }"),
        ("{ a: string; 'a': number }", "{ a: string }"),
        ("{ 1: string; 0x1: number }", "{ 1: string }"),
        ("{ [k: string]: number; a: string }", "{ [k: string]: unknown; a: string }"),
        ("{ [class: string]: string }", "{ [class_: string]: string }"),
        ("(a?: string, b: number) => void", "(a: string | undefined, b: number) => void"),
        ("(a: string, a: string) => void", "(a: string, a2: string) => void"),
        ("[a?: string, b: number]", "[a?: string, b?: number]"),
        ("[...string]", "[...string[]]"),
        ("[default: string]", "[default_: string]"),
        ("`a${{}}`", "`a${string}`"),
        ("{ a: string }['a']", "string"),
        ("Map<string>", "unknown"),
        ("object | null", "Record<string, unknown> | null"),
        ("function", "(...args: unknown[]) => unknown"),
        ("class", "unknown"),
        ("Promise<Awaited<string>>", "string"),
        ("string extends int ? 1 : Foo", "string extends number ? 1 : unknown"),
        (
            "string[] extends (infer U)[] ? U[] : infer V",
            "unknown",
        ),
        ("string[] extends (infer U)[] ? U : U", "string[] extends (infer U)[] ? U : unknown"),
        ("string extends infer Date ? Date : 1", "string extends unknown ? Date : 1"),
        ("{ [K in 'a' | 'b']?: K[] }", "{ [K in 'a' | 'b']?: K[] }"),
        (
            "{ [K in keyof { a: int }]: { a: int }[K] }",
            "{ [K in keyof { a: number }]: { a: number }[K] }",
        ),
        ("{ [K in 'a']: string[K] }", "{ [K in 'a']: unknown }"),
        ("{ [K in boolean]: string }", "Record<string, unknown>"),
        ("{ [Date in 'a']: string }", "Record<string, unknown>"),
        ("interface Book { id: int }\nBook[]", "{ id: number }[]"),
        ("interface Book { id: string }", "{ id: string }"),
        (
            "type Id = 1 | 2;\ninterface A extends B { b: Id }\ninterface B { a: 0 }\nA | B;",
            "{ a: 0 } & { b: 1 | 2 } | { a: 0 }",
        ),
        ("// Pages.\nexport type Page<T> = { items: T[] }\nPage<string>", "{ items: string[] }"),
        ("interface Tree { children: Tree[] }", "{ children: unknown[] }"),
        ("interface Event { id: string }\nPromise<Event>", "{ id: string }"),
        ("type A = 1; type A = 2; A", "unknown"),
        ("type A<T> = T; A", "unknown"),
        ("type A = 1; A A", "unknown"),
        ("typeof window", "unknown"),
    ],
)
def test_a_type_that_would_not_compile_is_changed(written: str, declared: str) -> None:
    """The part that TypeScript refuses is replaced, and the rest is kept."""
    manifest = Manifest(tools=[Tool(name="t", params=[Param(name="p", type=written)])])

    assert f"  t(p: {declared}): Promise<any>;" in generate_typescript(manifest)


@pytest.mark.parametrize("name", ["...rest", "rest"])
def test_only_required_parameters_make_earlier_ones_required(name: str) -> None:
    """An optional parameter before a rest parameter may be left out."""
    params = [Param(name="a", required=False), Param(name=name, type="string[]")]
    code = generate_typescript(Manifest(tools=[Tool(name="t", params=params)]))

    optional = "t(a?: string, ...rest: string[])"
    assert (optional in code) == name.startswith("...")


def test_no_character_turns_the_code_around() -> None:
    """Those for the direction of text, and of terminals, are escapes with the same meaning."""
    text = (
        '# S\n\n## pay\nPay \u202enow\u2069.\n\n### Params\n- `a` ("x\u202ey" | "\\\\\\\\\u2066z", required): T\u200f\x1b.\n'
        "\n### Sample Code\n```js\nglobal.pay('\u2028')\n```\n"
    )
    code = generate_typescript(parse(text), docs=True)

    assert [c for c in code if not c.isprintable() and c != "\n"] == []
    assert '"x\\u202ey"' in code
    assert "Pay \\u202enow\\u2069." in code
