"""A coding agent does ten tasks with our MCP server, for less than Playwright's costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.coding_agent.comparison import PEERS, compare, table
from tests.conformance.coding_agent.tasks import TASKS

MOST = 0.6
"""Of the tokens that Playwright's MCP server takes."""


@pytest.mark.timeout(900)
async def test_ours_does_all_tasks_with_fewer_tokens(tmp_path: Path) -> None:
    """Both do all ten, and the lists of tools are counted."""
    costs = await compare(tmp_path, [], [*PEERS])
    tokens = {peer: sum(c.tokens for c in costs if c.peer == peer) for peer in PEERS}
    theirs, ours = tokens.values()

    assert len(costs) == 2 * len(TASKS)
    assert all(cost.is_done for cost in costs), table(costs)
    assert ours <= MOST * theirs, table(costs)
