"""A server of uvicorn beside others in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


class ServerBeside(uvicorn.Server):
    """A server that leaves the signals of the process alone.

    Several would restore each other's handlers, and sse-starlette, which MCP sends streams with, takes the
    handler that is left for that of a server which ends.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
