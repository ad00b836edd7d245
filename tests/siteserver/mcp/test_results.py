"""Results of pages for clients of MCP."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from webagent.page.values import FileValue
from webagent_site.mcp.results import MOST_WAITING, Progress, error_result, success_result


def test_half_of_a_character_can_be_sent() -> None:
    """JavaScript strings may hold it: in a file's name, in data, and in an error."""
    shown = {"title": "Sale \ud83d"}
    file = FileValue("\ud83d.txt", "text/plain", b"a")
    good = success_result(shown, structured=shown, files=[file])
    bad = error_result({"kind": "threw", "message": "no \ud83d"})

    assert good.structured_content == {"title": "Sale \ufffd"}
    assert good.model_dump_json()
    assert bad.model_dump_json()


async def test_a_call_ends_when_its_client_has_gone() -> None:
    """Its progress fills the queue, and nothing takes it out any more."""

    class Gone:
        async def send_progress_notification(self, *_: object, **__: object) -> None:
            raise ConnectionError

    context = SimpleNamespace(session=Gone(), request_id=1, meta={"progress_token": "t"})
    async with asyncio.timeout(20):
        async with Progress(context) as progress:  # type: ignore[arg-type]
            progress.on_event("progress", {"message": "0 %"})
            await asyncio.sleep(0.01)
            for number in range(MOST_WAITING):
                progress.on_event("progress", {"message": str(number)})
