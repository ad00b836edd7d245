"""The JSON-RPC binding, of 1.0 and of 0.3."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.agents.a2a.card import VERSIONS
from webagent_dev.agents.a2a.errors import (
    CONTENT_TYPE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_POSTED,
    TOO_LARGE,
    UNSUPPORTED,
    A2aError,
    internal,
)
from webagent_dev.agents.a2a.requests import (
    VERSION_NAME,
    json_of,
    push_not_supported,
    read_listed,
    read_sent,
    read_wanted,
    version_of,
)
from webagent_dev.agents.a2a.responses import Shape, as_json, as_stream
from webagent_dev.agents.a2a.service import Service
from webagent_dev.agents.a2a.v0_3 import read_older_sent, rpc_shape, rpc_task

Id = str | int | float | None
Method = Callable[[Any], Awaitable[Shape | AsyncIterator[Shape]]]


class Rpc:
    """Answers at `/a2a/jsonrpc`."""

    def __init__(self, service: Service) -> None:
        """Answer for a service."""
        older = _Older(service)
        self._methods: dict[str, dict[str, Method]] = {
            "1.0": {
                "SendMessage": lambda params: service.send(read_sent(params)),
                "SendStreamingMessage": lambda params: service.stream(read_sent(params)),
                "GetTask": lambda params: service.get(read_wanted(params)),
                "ListTasks": lambda params: service.page(read_listed(params)),
                "CancelTask": lambda params: service.cancel(read_wanted(params)),
                "SubscribeToTask": lambda params: service.subscribe(read_wanted(params)),
                "GetExtendedAgentCard": _no_extended_card,
                **{
                    f"{verb}TaskPushNotificationConfig{ending}": _no_push
                    for verb, ending in (("Create", ""), ("Get", ""), ("List", "s"), ("Delete", ""))
                },
            },
            "0.3": {
                "message/send": older.send,
                "message/stream": older.stream,
                "tasks/get": older.get,
                "tasks/cancel": older.cancel,
                "tasks/resubscribe": older.subscribe,
                "agent/getAuthenticatedExtendedCard": _no_extended_card,
                **{
                    f"tasks/pushNotificationConfig/{verb}": _no_push
                    for verb in ("set", "get", "list", "delete")
                },
            },
        }

    async def answer(self, request: Request) -> Response:
        """Answer a request; what goes wrong in it is told in JSON-RPC, too."""
        request_id: Id = None
        try:
            if request.method != "POST":
                raise A2aError(NOT_POSTED, "requests of JSON-RPC are sent by `POST`")
            asked = await json_of(request)
            request_id = _id(asked)
            method, params = _asked(asked)
            given = await self._method(version_of(request), method)(params)
        except Exception as fault:
            error = fault if isinstance(fault, A2aError) else internal()
            told = {"jsonrpc": "2.0", "id": request_id, "error": error.in_rpc()}
            # Requests that are none of the protocol are refused by HTTP, too.
            none = request_id is None and error.kind in (NOT_POSTED, TOO_LARGE, CONTENT_TYPE)
            response = as_json(told, error.kind.http if none else 200)
            if error.kind is NOT_POSTED:
                response.headers["allow"] = "POST"
            return response
        if isinstance(given, dict):
            return as_json({"jsonrpc": "2.0", "id": request_id, "result": given})
        return as_stream(_wrapped(request_id, given))

    def _method(self, version: str, name: str) -> Method:
        methods = self._methods[version]
        if name in methods:
            return methods[name]
        others = [one for one in VERSIONS if name in self._methods[one]]
        instead = (
            f"it is one of version {others[0]} - send the header `{VERSION_NAME}: {others[0]}`"
            if others
            else f"write one of {', '.join(methods)}"
        )
        raise A2aError(
            METHOD_NOT_FOUND, f"there is no method `{name[:100]}` in version {version} - {instead}"
        )


class _Older:
    """The methods of 0.3."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def send(self, params: Any) -> Shape:
        return rpc_shape(await self._service.send(read_older_sent(params)))

    async def stream(self, params: Any) -> AsyncIterator[Shape]:
        return _each(await self._service.stream(read_older_sent(params)))

    async def get(self, params: Any) -> Shape:
        return rpc_task(await self._service.get(read_wanted(params)))

    async def cancel(self, params: Any) -> Shape:
        return rpc_task(await self._service.cancel(read_wanted(params)))

    async def subscribe(self, params: Any) -> AsyncIterator[Shape]:
        return _each(await self._service.subscribe(read_wanted(params)))


async def _each(events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield rpc_shape(event)


async def _wrapped(request_id: Id, events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield {"jsonrpc": "2.0", "id": request_id, "result": event}


def _id(asked: Any) -> Id:
    """Return the id of a request."""
    if not isinstance(asked, dict):
        raise A2aError(INVALID_REQUEST, "the request is no object - send one request at a time")
    request_id = asked.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, Id):
        raise A2aError(INVALID_REQUEST, "`id` is neither a string nor a number - mend it")
    return request_id


def _asked(asked: dict[str, Any]) -> tuple[str, Any]:
    """Return method and parameters of a request."""
    method = asked.get("method")
    if asked.get("jsonrpc") != "2.0" or not isinstance(method, str) or not method:
        raise A2aError(
            INVALID_REQUEST, '`jsonrpc` is not `"2.0"`, or `method` is no string - mend it'
        )
    params = asked.get("params")
    if params is not None and not isinstance(params, dict):
        raise A2aError(INVALID_PARAMS, "`params` is no object - send `{…}`")
    return method, params or {}


async def _no_push(_: Any) -> Shape:
    raise push_not_supported()


async def _no_extended_card(_: Any) -> Shape:
    raise no_extended_card()


def no_extended_card() -> A2aError:
    """Return the error for the card that only those who are known may see."""
    return A2aError(
        UNSUPPORTED,
        "there is no extended card - everyone sees all that there is - read "
        "`/.well-known/agent-card.json`",
    )
