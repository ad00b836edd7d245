"""An agent made with the official kit of A2A, in an environment of its own; run as a program.

It asks for the first tool that the message brings, and says what the tool gave.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ("a2a-sdk[http-server]==1.3.0", "uvicorn==0.54.0")
ENVIRONMENT = ROOT / ".cache" / "a2a" / f"1.3.0-py{sys.version_info[0]}.{sys.version_info[1]}"


def kit_python() -> Path:
    """Return the interpreter of the environment; the first time, make it, with pip."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = ENVIRONMENT / "ready"
    if not ready.exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *quiet, *REQUIREMENTS], check=True)
        ready.touch()
    return python


def serve() -> None:
    """Serve the agent on a free port; its address is the first line that is printed."""
    import socket

    import uvicorn
    from a2a.helpers import get_data_parts, new_data_part, new_task_from_user_message, new_text_part
    from a2a.server.agent_execution import AgentExecutor, RequestContext
    from a2a.server.events import EventQueue
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
    from a2a.types import AgentCapabilities, AgentCard, AgentInterface
    from google.protobuf.json_format import MessageToDict
    from starlette.applications import Starlette

    class Asking(AgentExecutor):
        async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
            task = context.current_task
            if task is None:
                task = new_task_from_user_message(context.message)
                await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await updater.start_work()
            results = get_data_parts(context.message.parts)
            if results:
                given = results[0]["response"]["result"]
                await updater.add_artifact([new_text_part("it gave ")], artifact_id="a")
                await updater.add_artifact([new_text_part(given)], artifact_id="a", append=True)
                await updater.complete()
                return
            tools = MessageToDict(context.message.metadata)["tools"]
            part = new_data_part({"id": "c1", "name": tools[0]["name"], "args": {"q": "x"}})
            part.metadata.update({"adk_type": "function_call"})
            await updater.requires_input(updater.new_agent_message([new_text_part("I look"), part]))

        async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
            await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/rpc"
    card = AgentCard(
        name="asking", description="asks for a tool", version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version)
            for version in ("1.0", "0.3")
        ],
    )  # fmt: skip
    handler = DefaultRequestHandler(Asking(), InMemoryTaskStore(), card)
    routes = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    print(url, flush=True)
    config = uvicorn.Config(Starlette(routes=routes), log_level="warning")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    serve()
