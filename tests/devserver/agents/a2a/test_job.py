"""A task while it is worked on."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.devserver.agents.a2a.client import message
from webagent.errors import ToolTimeout
from webagent_dev.agents.a2a import job as jobs
from webagent_dev.agents.a2a.job import Job
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.terminal import Console
from webagent_site.http.a2a.requests import read_send_message


async def test_a_question_does_not_wait_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a task of those that may be unfinished at a time."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(jobs, "ANSWER_S", 0.001)
    tasks = Tasks(TaskStore(tmp_path, Console(io.StringIO())))
    job = Job(tasks, read_send_message(message("go")))
    await job.begin({})
    with pytest.raises(ToolTimeout, match="nobody has answered"):
        await job.ask([{"text": "Which?"}])
    assert not job.is_waiting
    await tasks.close()
