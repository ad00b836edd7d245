"""The errors of A2A, as each binding writes them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from webagent.errors import RateLimited

_log = logging.getLogger("webagent_site")
DOMAIN = "a2a-protocol.org"
"""Domain of the reasons in `google.rpc.ErrorInfo`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error, with its names in each binding."""

    code: int
    """In JSON-RPC."""
    http: int
    status: str
    """In `google.rpc.Code`."""
    reason: str = ""
    """In `google.rpc.ErrorInfo`; empty for errors that are not of A2A."""


PARSE = Kind(-32700, 400, "INVALID_ARGUMENT")
INVALID_REQUEST = Kind(-32600, 400, "INVALID_ARGUMENT")
METHOD_NOT_FOUND = Kind(-32601, 404, "NOT_FOUND")
INVALID_PARAMS = Kind(-32602, 400, "INVALID_ARGUMENT")
INTERNAL = Kind(-32603, 500, "INTERNAL")
BUSY = Kind(-32603, 429, "RESOURCE_EXHAUSTED")
METHOD_NOT_ALLOWED = Kind(-32600, 405, "INVALID_ARGUMENT")
TOO_LARGE = Kind(-32600, 413, "INVALID_ARGUMENT")
TASK_NOT_FOUND = Kind(-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND")
TASK_NOT_CANCELABLE = Kind(-32002, 409, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE")
PUSH_NOT_SUPPORTED = Kind(-32003, 400, "UNIMPLEMENTED", "PUSH_NOTIFICATION_NOT_SUPPORTED")
UNSUPPORTED = Kind(-32004, 400, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION")
CONTENT_TYPE = Kind(-32005, 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED")
VERSION = Kind(-32009, 400, "UNIMPLEMENTED", "VERSION_NOT_SUPPORTED")
FAILED = "the server failed - this is a fault of webagent - the log of the server says more"
"""The message of an internal error."""


class A2aError(Exception):
    """A request was refused; the message says why, and what to send instead."""

    def __init__(self, kind: Kind, message: str, **context: str) -> None:
        """Describe the error.

        Args:
            kind: Of the error.
            message: For people.
            context: For programs: values by name.
        """
        super().__init__(message)
        self.kind = kind
        self._context = context

    def details(self) -> list[dict[str, Any]]:
        """Return the details for programs, each a `google.protobuf.Any` in JSON."""
        if not self.kind.reason:
            return []
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": self.kind.reason}
        return [{**info, "domain": DOMAIN, "metadata": self._context}]

    def to_rpc(self) -> dict[str, Any]:
        """Return it as the `error` of a JSON-RPC response."""
        error = {"code": self.kind.code, "message": str(self)}
        return {**error, **({"data": details} if (details := self.details()) else {})}

    def to_http(self) -> dict[str, Any]:
        """Return it as the body of an HTTP response (AIP-193)."""
        kind = self.kind
        error = {"code": kind.http, "status": kind.status, "message": str(self)}
        return {"error": {**error, "details": self.details()}}


def internal() -> A2aError:
    """Return the error for an exception that was just caught, and log the exception."""
    _log.exception("a request of an A2A client failed")
    return A2aError(INTERNAL, FAILED)


def busy(error: RateLimited) -> A2aError:
    """Return the error for too many tasks at a time."""
    return A2aError(BUSY, f"{error} - {error.help}" if error.help else str(error))
