"""Findings about types, and the types after their fixes."""

import pytest

from webagent.checks import check


def mended(written: str) -> str:
    """Return the type of a parameter after the edits of all fixes."""
    text = f"# S\n\n## t\nd\n### Params\n- `a` ({written}): x\n"
    edits = [edit for found in check(text).findings if found.fix for edit in found.fix.edits]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text.split("`a` (")[1].split("): x")[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("List<string>", "Array<string>"),
        ("List<List<str>>", "Array<Array<string>>"),
        ("Dict<str, int>", "Record<string, number>"),
    ],
)
def test_the_fix_of_a_generic_type_keeps_its_arguments(written: str, expected: str) -> None:
    """It replaces only the name."""
    assert mended(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("List[str]", "string[]"),
        ("list[str]", "string[]"),
        ("Optional[str]", "string | null"),
        ("Dict[str, int]", "Record<string, number>"),
        ("list[dict[str, Optional[int]]]", "Record<string, number | null>[]"),
        ("List[Optional[Book]]", "(Book | null)[]"),
        ("Union[str, int, None]", "string | number | null"),
        ("Tuple[str, int] | null", "[string, number] | null"),
        ("{ a: Set<string>; b: set[int] }", "{ a: Set<string>; b: number[] }"),
        ("{ a: list[str][] }", "{ a: string[][] }"),
    ],
)
def test_a_python_type_is_fixed_as_a_whole(written: str, expected: str) -> None:
    """Square brackets around the argument of a generic type are not read as a key."""
    assert mended(written) == expected


@pytest.mark.parametrize(
    "written",
    ["list[", "list[0", "Union[,]", "'list[str]'", "Foo[list]", "a.List[Foo]", "List[Foo, Bar]"],
)
def test_text_that_only_resembles_a_python_type_is_left_alone(written: str) -> None:
    """No fix is offered if the meaning is not known."""
    assert mended(written) == written


def test_a_python_type_has_one_finding() -> None:
    """The name before the brackets has no finding of its own."""
    report = check("# S\n\n## t\nd\n### Output\n```ts\nOptional[str]\n```\n")

    assert [found.message for found in report.findings] == [
        "`Optional[str]` in the type of the output is not TypeScript"
    ]


def test_a_part_of_a_shared_type_is_not_a_python_type() -> None:
    """A declared type may have the name of a Python type."""
    report = check(
        "# S\n\n## Types\n```ts\ninterface List { a: string }\n```\n\n"
        "## t\nd\n### Output\n```ts\nList['a']\n```\n"
    )

    assert report.findings == ()


@pytest.mark.parametrize("word", ["function", "Function"])
def test_a_word_for_a_function_has_a_replacement(word: str) -> None:
    """The finding names the type to write, whatever the case of the word."""
    report = check(f"# S\n\n## t\nd\n### Output\n```ts\n{word}\n```\n")

    assert [(found.message, found.help) for found in report.findings] == [
        (
            f"`{word}` in the type of the output is not TypeScript",
            "write `(...args: unknown[]) => unknown`",
        )
    ]


def test_a_type_inside_itself_belongs_to_the_shared_types() -> None:
    """In an output, it is reported differently from a name that nobody declared."""
    report = check(
        "# S\n\n## t\nd\n### Output\n```ts\ninterface Tree { a: Tree[]; b: Leaf }\nTree\n```\n"
    )

    assert [found.message for found in report.findings] == [
        "`Tree` in the type of the output contains itself, "
        "which only types in `## Types` may do; agents see `unknown`",
        "`Leaf` in the type of the output is not declared, so agents see `unknown`",
    ]
