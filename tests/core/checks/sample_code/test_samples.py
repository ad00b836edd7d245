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
