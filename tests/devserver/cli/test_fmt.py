"""`webagent-dev fmt`: prints manifests anew and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from webagent import parse
from webagent_dev.cli.main import main
from webagent_dev.site.documents import Document
from webagent_dev.site.reprinting import NotFormatted, reprinted

UGLY = (
    "Shop\n====\n\n## 1. `search(q, limit)`\nFind.\n\n**Parameters**\n* q: string - Words.\n"
    "* **limit** (number, default: 5) - Most.\n\n### Returns\n`string[]`\n"
).replace("1. ", "")
NICE = """\
# Shop

## search

Find.

### Params

- `q` (string, required): Words.
- `limit` (number, optional, default=5): Most.

### Output

```typescript
string[]
```
"""


def fmt(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["fmt", *arguments], input=stdin)


@pytest.fixture(name="path")
def _path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "webagents.md"
    path.write_text(UGLY)
    return path


def test_a_file_is_rewritten(path: Path) -> None:
    """It says which, and a second time there is nothing to do."""
    assert fmt().stdout == "webagents.md: formatted\n"
    assert path.read_text() == NICE

    again = fmt()
    assert (again.exit_code, again.stdout) == (0, "")


def test_check_shows_the_diff_and_changes_nothing(path: Path) -> None:
    """The exit code is 1 where something would change."""
    result = fmt("--check")

    assert result.exit_code == 1
    assert result.stdout.startswith("--- webagents.md\n+++ webagents.md (formatted)\n")
    assert "-Shop\n-====\n+# Shop\n" in result.stdout
    assert path.read_text() == UGLY
    path.write_text(NICE)
    assert fmt("--check").exit_code == 0


def test_standard_input_goes_to_standard_output(path: Path) -> None:
    """`-` is for editors."""
    assert fmt("-", stdin=UGLY).stdout == NICE


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay(path: Path, end: str) -> None:
    """A file with CRLF keeps it, and one with CR."""
    path.write_bytes(UGLY.replace("\n", end).encode())
    fmt()

    assert path.read_bytes() == NICE.replace("\n", end).encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# S\n\n<!-- x -->\n\n## t\n### Params\n", "line 3: the comment would be lost"),
        ("# S\n\n## t\n### Output\n```ts\nx\n", "line 5: the fence ```ts is never closed"),
        ("# S\n\n## t\n### Params\n- `a`: x\n- y z\n", "line 6: `y z` is in the list"),
        (
            "---\na: b\n---\n\n# S\n\n## t\n### Params\n",
            "line 1: the file starts with front matter",
        ),
        ('{"tools": []}', "line 1: the file seems to be a list of tools in JSON"),
        (
            "# S\n\n## t\n1. all\n\n### Params (all, 1)\n\n| name | all 1 |\n|---|---|\n",
            "line 8, column 10: `all` would be lost",
        ),
        (
            "# S\n\n## t\n### Params\n\n| name | price |\n|---|---|\n\n### Output\n`void`\n",
            "line 6, column 10: `price` would be lost",
        ),
    ],
)
def test_a_file_that_would_lose_text_is_left(path: Path, text: str, reason: str) -> None:
    """With the reason, and the exit code 1."""
    path.write_text(text)
    result = fmt()

    assert result.exit_code == 1
    assert reason in result.stdout
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff# S\n\n## t\n### Params\n",
        "# S\n\n## 1. t\n\n### Params\n\n1. `a`: x\n2. `b`: y\n",
        "# S\r\r## 1. t\r\r### Params (all)\r\r1. `a`: x\r",
        "# S\n\n## t\n\n**Parameters (all optional):**\n\n- `a` (string, optional)\n",
        "# S\n\n## t\nOf a call.\n\n#### Arguments (Of a call)\n\n- `a` (string, optional)\n",
        '# S\n\n## t\n\n### Params\n\n- `a` (string, nullable)\n- `b` ("x" or "y")\n',
        "# S\n\n## t\n\n### Params\n\n- `a` (object): x\n  - `b` (string): y\n",
        "# S\n\n## t\n\n### Params\n\n### Sample Code\n\n```python\nt()\n```\n",
        "# S\n\ntool: t()\n  sample_code: t()\n  output_schema: {}\n  input_schema: {}\n",
    ],
)
def test_words_of_the_form_may_change(text: str) -> None:
    """Numbers of items, remarks of titles, languages of samples and names of fields may go."""
    after = reprinted(Document("webagents.md", text.encode()))

    assert [tool.params for tool in parse(after).tools] == [t.params for t in parse(text).tools]


@given(
    st.lists(
        st.sampled_from(
            [
                "# Shop",
                "## search",
                "## getCart",
                "### Params",
                "### Output",
                "### Notes",
                "- `q` (string): one two",
                "- three",
                "four five",
                "```js",
                "```",
                "`void`",
                "<!-- six -->",
                "tool: f(a, b=7)",
                "  params:",
                "    a: eight",
                "| name | nine |\n|---|---|\n| `z` | ten |",
            ]
        ),
        max_size=20,
    ).map("\n".join)
)
def test_nothing_is_ever_lost(text: str) -> None:
    """Each word of prose is there afterwards, or the file is left as it is."""
    try:
        after = reprinted(Document("webagents.md", text.encode()))
    except NotFormatted:
        return

    for word in ("one", "two", "three", "four", "five", "six", "eight", "nine", "ten"):
        assert after.count(word) >= text.count(word)
    assert parse(after).tool_names == parse(text).tool_names
