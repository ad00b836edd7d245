"""A visitor's assistant made with the official kit for Python; run as a program, with the kit's interpreter.

Arguments: the origin, a token, and the file of the authority. It prints the card, then for each line of its
input, the data of a call or `{"goal"}`, what came back.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from typing import Any


async def main(origin: str, token: str, authority: str) -> None:
    """Find the agent by its card, and send it a message for each line."""
    import httpx
    from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
    from a2a.helpers import new_data_part, new_text_part
    from a2a.types import Message, Role, SendMessageRequest
    from a2a.utils.errors import A2AError
    from google.protobuf.json_format import MessageToDict

    headers = {"authorization": f"Bearer {token}"}
    tls = ssl.create_default_context(cafile=authority)
    async with httpx.AsyncClient(headers=headers, timeout=100, verify=tls, trust_env=False) as http:
        card = await A2ACardResolver(http, origin).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        print(json.dumps(MessageToDict(card)), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked: dict[str, Any] = json.loads(line)
            part = new_text_part(asked["goal"]) if "goal" in asked else new_data_part(asked)
            message = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
            try:
                told: list[Any] = [
                    MessageToDict(event)
                    async for event in client.send_message(SendMessageRequest(message=message))
                ]
            except A2AError as error:
                told = [{"refused": str(error)}]
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
