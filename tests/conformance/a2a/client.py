"""A client made with the official kit for Python; run as a program, with the kit's interpreter.

Arguments: the origin, the owner's token, the binding and the version. It prints what it has seen.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any


async def main(origin: str, token: str, binding: str, version: str) -> dict[str, Any]:
    """Find the agent by its card, call a tool, reach a goal, answer, ask, list, cancel."""
    import httpx
    from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
    from a2a.helpers import new_data_part, new_text_part
    from a2a.types import (
        CancelTaskRequest,
        GetTaskRequest,
        ListTasksRequest,
        Message,
        Role,
        SendMessageRequest,
        TaskState,
    )
    from google.protobuf.json_format import MessageToDict

    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=100, trust_env=False) as http:
        card = await A2ACardResolver(http, origin).get_agent_card()
        wanted = [
            one
            for one in card.supported_interfaces
            if (one.protocol_binding, one.protocol_version) == (binding, version)
        ]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(wanted)
        config = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding])
        client = ClientFactory(config).create(card)

        async def send(*parts: Any, task_id: str = "") -> tuple[Any, list[str]]:
            """Send a message; return the task as it is then, and what each event was."""
            message = Message(
                message_id=f"m{len(sent)}", role=Role.ROLE_USER, parts=parts, task_id=task_id
            )
            sent.append(message)
            kinds = []
            async for event in client.send_message(SendMessageRequest(message=message)):
                kinds.append(event.WhichOneof("payload"))
                if event.HasField("task"):
                    task_id = event.task.id
            return await client.get_task(GetTaskRequest(id=task_id)), kinds

        sent: list[Any] = []
        called, kinds = await send(
            new_data_part({"tool": "searchBooks", "arguments": {"query": "sea"}})
        )
        task, _ = await send(new_text_part('add "The Harbour Towns" to the basket'))
        asked = []
        while task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
            asked.append(task.status.message.parts[0].text)
            task, _ = await send(new_text_part("yes"), task_id=task.id)
        question, _ = await send(new_text_part('add "The Salt Ledger" to the basket'))
        ended = await client.cancel_task(CancelTaskRequest(id=question.id))
        # 0.3 has no lists.
        listed = (
            [one.id for one in (await client.list_tasks(ListTasksRequest())).tasks]
            if version == "1.0"
            else []
        )
        return {
            "name": card.name,
            "kinds": kinds,
            "called": MessageToDict(called.artifacts[0].parts[0]),
            "asked": asked,
            "state": TaskState.Name(task.status.state),
            "ended": TaskState.Name(ended.status.state),
            "history": len(task.history),
            "listed": listed[:3],
            "ids": [ended.id, task.id, called.id],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
