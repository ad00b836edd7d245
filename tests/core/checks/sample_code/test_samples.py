"""Findings about the calls in sample code."""

from webagent.checks import check


def test_a_suggested_call_keeps_the_places_of_its_arguments() -> None:
    """A parameter that may be left out before one that may not is written `undefined`."""
    report = check(
        "# S\n\n## f\nd\n### Params\n- `a` (string, optional): x\n- `b` (string, required): y\n"
        "- `c` (string, optional): z\n### Sample Code\n```js\nawait global.f()\n```\n"
    )
    (finding,) = [found for found in report.findings if found.rule == "sample-arguments"]

    assert finding.help == "write `global.f(undefined, b)`"


def test_places_move_with_the_text_above() -> None:
    """A sample that was read before is found where it is now."""
    tool = "## f\nd\n### Params\n### Sample Code\n  ```js\nawait global.g(1);\n  ```\n"
    for above in ("# S\n\n", "# S\n\nMore words above.\n\n", "# S\n\n## h\nd\n### Params\n\n"):
        report = check(above + tool)
        found = [one for one in report.findings if one.rule == "sample-unknown-tool"]
        assert [report.source.text[slice(*one.span)] for one in found] == ["g"]


def test_a_wrong_value_for_a_parameter_without_a_type_is_no_mistake() -> None:
    """It counts as text, but its author did not write so."""
    text = (
        "# S\n\n## f\nd\n### Params\n- `a`{}: x\n### Sample Code\n```js\nawait global.f(1)\n```\n"
    )
    rules = [
        {one.rule for one in check(text.format(typed)).findings} for typed in ("", " (string)")
    ]
    assert "sample-arguments" not in rules[0]
    assert "sample-arguments" in rules[1]
