"""`webagent-dev run --save-test`: the project says for which runner the test is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webagent.agent import Done, Run, RunResult
from webagent.llm.chat import ToolCall
from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent_dev.cli.run import RunKeeper


@pytest.mark.parametrize(
    ("package", "test"),
    [
        (None, "test_find_tea.py"),
        ({"devDependencies": {"@playwright/test": "1"}}, "test_find_tea.py"),
        ({"devDependencies": {"webagent-playwright": "1"}}, "find_tea.spec.ts"),
        ({"dependencies": {"webagent-playwright": "1"}}, "find_tea.spec.ts"),
        ([1], "test_find_tea.py"),
    ],
)
def test_the_project_names_the_runner(tmp_path: Path, package: object, test: str) -> None:
    """Playwright's own where the nearest `package.json` has our package for it, else pytest."""
    if package is not None:
        (tmp_path / "package.json").write_text(json.dumps(package))
    folder = tmp_path / "tests" / "goals"
    call = ToolCall("1", "call_tool", {"name": "find", "arguments": {"word": "tea"}})
    result = RunResult(
        True, "done", Run("find tea", "http://shop.test", entries=[Done(call, "", 1)])
    )
    for number in ("", "_2"):
        keeper = RunKeeper(None, folder, "")
        keeper.keep(result, ToolRegistry(FakePage()))

        names = [test.replace("find_tea", f"find_tea{number}"), f"find_tea{number}.json"]
        assert keeper.written == [f"wrote {folder / name}" for name in names]
        assert all((folder / name).is_file() for name in names)
