import pytest

from tests.core.cases import cases
from webagent.checks import check
from webagent.diagnostics import Fix, Severity, render_text


@pytest.mark.parametrize(("text", "expected"), cases("findings"))
def test_findings(text: str, expected: str) -> None:
    """Each finding names line and column, shows the place, and says what to write instead."""
    report = check(text)

    assert render_text(report.findings, report.source).rstrip() == expected


def test_report_as_data() -> None:
    """A report is JSON data: path, findings, and how many tools there are."""
    data = check("# S\n\n## t\n### Params\n", path="a/webagents.md").to_dict()

    assert (data["path"], data["tools"]) == ("a/webagents.md", 1)
    assert [finding["rule"] for finding in data["findings"]] == [
        "missing-description",
        "missing-output",
    ]


def test_only_an_error_breaks_a_report() -> None:
    """Warnings do not break a manifest, errors do."""
    assert not check("# S\n\n## t\n### Params\n").broken
    assert check("# S\n\n```\n").broken


@pytest.mark.parametrize(
    ("line", "rule", "words"),
    [
        ("- `a` (string: x\n", "unreadable-param", "(and 498 more like this below)"),
        ("- `a b`: x\n", "invalid-param-name", "(there may be more like this below)"),
    ],
)
def test_repeated_findings_are_counted(line: str, rule: str, words: str) -> None:
    """A rule has up to a thousand findings, and then one that says that there are more."""
    found = check("# S\n\n## t\n### Params\n" + line * 1_499).findings
    told = [finding for finding in found if finding.rule == rule]

    assert len(told) == 1_001
    assert told[-1].message.endswith(words)


def test_an_example_has_no_findings() -> None:
    """A complete manifest has none."""
    report = check(
        "# S\n\nAbout.\n\n## Rules\nBe kind.\n\n## search\nFind.\n\n### Params\n"
        "- `q` (string, required): What.\n\n### Output\n```typescript\nstring[]\n```\n"
    )

    assert report.findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "# S\n\n## getCart\nThe cart.\n\nMore.\n\n### Errors\nNone.\n",
        "# S\n\n## search\nFinds.\n",
        "# S\r\n\r\n## search\r\nFinds.\r\n",
        "# S\n\n## t\nd\n### Params\n- `a` (int): x\n### Output\n```ts\n{ a: bool }\n```\n",
        "# S\n\n## t\nd\n### Output\n```ts\nstring",
        "# S\n\n## t\nd\n### Output\n~~~~ts\nstring\n",
    ],
)
def test_fixes_remove_their_cause(text: str) -> None:
    """After the edits of all fixes, no finding that had a fix is left."""
    report = check(text)
    fixes = [finding.fix for finding in report.findings if finding.fix]
    fixed = check(apply(text, fixes))

    assert fixes
    assert not [finding for finding in fixed.findings if finding.fix]
    assert not [finding for finding in fixed.findings if finding.rule == "misplaced-text"]


@pytest.mark.parametrize(
    "text",
    [
        "# S\n\n## getCart\n\n```js\nglobal.getCart()\n",
        "# S\n\n## cart\n\n```js\nglobal.cart()\n",
        "# S\n\n## cart\n\n<script>\n",
        "# S\n\n## arrow\n\n```ts\nconst arrow = async (a: string): Promise<void> => {}\n```\n",
        "# S\n\n## makeArrow\n\n```ts\nconst makeArrow = (a: string): void => {}\n```\n",
        '# S\n\n## search\nAs in `global.search("shoes")`.\n',
        "# S\n\n## search: find products\n",
    ],
)
def test_no_fix_adds_empty_params_if_a_tool_may_have_parameters(text: str) -> None:
    """Nor if the insertion would be inside code, or if the heading is more than a name."""
    titles = {finding.fix.title for finding in check(text).findings if finding.fix}

    assert "add an empty `### Params`" not in titles


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "data",
    [
        "---\ntitle: My site\nversion: 2.0\n---\n",
        "\ufeff---\ntags:\n  - a\n\n- b\n---\n",
        "--- \na: b\n...",
    ],
)
def test_front_matter_is_reported_once(data: str, end: str) -> None:
    """It is reported as front matter however Markdown reads it, and no fix makes it a tool."""
    text = f"{data}\n# S\n\nAbout.\n\n## t\nIt.\n\n### Params\n\n### Output\n`void`\n"
    found = check(text.replace("\n", end)).findings

    assert [(f.rule, f.span.start, f.fix) for f in found] == [
        ("front-matter", data.index("-"), None)
    ]


@pytest.mark.parametrize("text", ["---\n\n# S\n\na: b\n---\n", "---\nText.\n---\n", "---\na: b\n"])
def test_a_horizontal_line_does_not_start_front_matter(text: str) -> None:
    """Front matter needs keys right below it, and a second line below them."""
    assert "front-matter" not in {finding.rule for finding in check(text).findings}


def apply(text: str, fixes: list[Fix]) -> str:
    """Return the text after all edits, the last first."""
    edits = [edit for fix in fixes for edit in fix.edits]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def test_findings_are_in_the_order_of_the_text() -> None:
    """Findings of the parser and of the checks are sorted together."""
    report = check("# S\n\n## t\n### Params\n- nothing to see\n\n## u\n### Params\n")
    starts = [finding.span.start for finding in report.findings]

    assert starts == sorted(starts)
    assert {finding.severity for finding in report.findings} == set(Severity)
