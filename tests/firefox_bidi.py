#!/usr/bin/env python3
"""Firefox as Playwright expects it: the program of `$FIREFOX`, but for two commands.

Playwright starts this file as if it were Firefox, and speaks WebDriver BiDi with it. It asks every
Firefox for `emulation.setMediaFeaturesOverride`, which Firefox 153 does not know; that command is
answered here, and does nothing. It opens each page in a window of its own, which takes Firefox three
times as long as a tab; here pages are tabs. All other commands go to Firefox as they are.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

READY = "WebDriver BiDi listening on "
LACKING = "emulation.setMediaFeaturesOverride"
OPENING = "browsingContext.create"
AS_IT_IS = {"max_size": None, "compression": None, "ping_interval": None}


async def pass_on(client: ServerConnection, address: str) -> None:
    """Carry messages between Playwright and Firefox until one of them goes."""
    async with connect(f"{address}/session", **AS_IT_IS) as firefox:

        async def answers() -> None:
            async for text in firefox:
                await client.send(text)
            await client.close()

        answering = asyncio.create_task(answers())
        async for text in client:
            command = json.loads(text)
            if command["method"] == LACKING:
                done = {"type": "success", "id": command["id"], "result": {}}
                await client.send(json.dumps(done))
                continue
            if command["method"] == OPENING:
                command["params"]["type"] = "tab"
            await firefox.send(json.dumps(command))
    await answering


async def main() -> int:
    """Run Firefox, and say where it is listened for instead."""
    program = await asyncio.create_subprocess_exec(
        os.environ["FIREFOX"], *sys.argv[1:], stderr=asyncio.subprocess.PIPE
    )
    assert program.stderr
    async for line in program.stderr:
        said = line.decode(errors="replace")
        if said.startswith(READY):
            break
        sys.stderr.write(said)
    else:
        return await program.wait()
    address = said.removeprefix(READY).strip()

    async def answer(client: ServerConnection) -> None:
        await pass_on(client, address)

    async with serve(answer, "127.0.0.1", 0, **AS_IT_IS) as server:
        host, port = next(iter(server.sockets)).getsockname()
        print(f"{READY}ws://{host}:{port}", file=sys.stderr, flush=True)
        while said_now := await program.stderr.read(65_536):
            sys.stderr.buffer.write(said_now)
        return await program.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
