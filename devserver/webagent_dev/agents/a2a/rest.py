"""The HTTP+JSON binding, of 1.0 and, below `/v1`, of 0.3."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.agents.a2a.card import REST_PATH
from webagent_dev.agents.a2a.service import Service
from webagent_site.http.a2a.errors import METHOD_NOT_FOUND, VERSION, A2aError, internal
from webagent_site.http.a2a.jsonrpc import no_extended_card
from webagent_site.http.a2a.requests import (
    VERSION_NAME,
    invalid_field,
    protocol_version,
    push_not_supported,
    read_get_task,
    read_json_body,
    read_list_tasks,
    read_send_message,
)
from webagent_site.http.a2a.responses import Shape, json_response, stream_response
from webagent_site.http.a2a.v0_3 import http_error, http_shape, http_task, read_send_message_v0_3

_V0_3_PATH = "/v1"
"""Path prefix of 0.3."""
_NUMBERS = ("historyLength", "pageSize")
_FLAGS = {"true": True, "false": False}
Operation = Callable[[Request, str], Awaitable[Shape | AsyncIterator[Shape]]]


class Rest:
    """Answers below `/a2a/rest`."""

    def __init__(self, service: Service) -> None:
        """Answer for a service."""
        self._service = service
        task = r"/tasks/(?P<id>[^/:]+)"
        both: list[tuple[str, str, Operation]] = [
            ("GET|POST|DELETE", rf"{task}/pushNotificationConfigs(?:/[^/]+)?", _no_push)
        ]
        self._operations: dict[str, list[tuple[str, str, Operation]]] = {
            "1.0": [
                ("POST", "/message:send", self._send),
                ("POST", "/message:stream", self._stream),
                ("GET", "/tasks", self._list),
                ("GET", task, self._get),
                ("POST", rf"{task}:cancel", self._cancel),
                ("GET|POST", rf"{task}:subscribe", self._subscribe),
                ("GET", "/extendedAgentCard", _no_extended_card),
                *both,
            ],
            "0.3": [
                ("POST", f"{_V0_3_PATH}/message:send", self._v0_3_send),
                ("POST", f"{_V0_3_PATH}/message:stream", self._v0_3_stream),
                ("GET", f"{_V0_3_PATH}{task}", self._v0_3_get),
                ("POST", rf"{_V0_3_PATH}{task}:cancel", self._v0_3_cancel),
                ("GET|POST", rf"{_V0_3_PATH}{task}:subscribe", self._v0_3_subscribe),
                ("GET", f"{_V0_3_PATH}/card", _no_extended_card),
                *((methods, f"{_V0_3_PATH}{path}", each) for methods, path, each in both),
            ],
        }

    async def answer(self, request: Request) -> Response:
        """Answer a request; errors have the shape of AIP-193."""
        path = request.url.path.removeprefix(REST_PATH).rstrip("/") or "/"
        is_v0_3 = f"{path}/".startswith(f"{_V0_3_PATH}/")
        try:
            version = protocol_version(request)
            if is_v0_3 != (version == "0.3"):
                raise _wrong_version(version, path)
            operation, task_id = self._find(request.method, path, version)
            result = await operation(request, task_id)
        except Exception as fault:
            error = fault if isinstance(fault, A2aError) else internal()
            body = http_error(error) if is_v0_3 else error.to_http()
            return json_response(body, error.kind.http)
        return json_response(result) if isinstance(result, dict) else stream_response(result)

    def _find(self, method: str, path: str, version: str) -> tuple[Operation, str]:
        for methods, pattern, operation in self._operations[version]:
            match = re.fullmatch(pattern, path)
            if match and method in methods.split("|"):
                return operation, match.groupdict().get("id") or ""
        raise A2aError(
            METHOD_NOT_FOUND,
            f"there is nothing at `{method} {path[:200]}` - `POST /message:send` sends a message, "
            "`GET /tasks` lists tasks",
        )

    async def _send(self, request: Request, _: str) -> Shape:
        return await self._service.send(read_send_message(await read_json_body(request)))

    async def _stream(self, request: Request, _: str) -> AsyncIterator[Shape]:
        return await self._service.stream(read_send_message(await read_json_body(request)))

    async def _list(self, request: Request, _: str) -> Shape:
        return await self._service.list(read_list_tasks(_query(request)))

    async def _get(self, request: Request, task_id: str) -> Shape:
        return await self._service.get(read_get_task({**_query(request), "id": task_id}))

    async def _cancel(self, request: Request, task_id: str) -> Shape:
        await read_json_body(request, optional=True)
        return await self._service.cancel(read_get_task({"id": task_id}))

    async def _subscribe(self, request: Request, task_id: str) -> AsyncIterator[Shape]:
        await read_json_body(request, optional=True)
        return await self._service.subscribe(read_get_task({"id": task_id}))

    async def _v0_3_send(self, request: Request, _: str) -> Shape:
        return http_shape(
            await self._service.send(read_send_message_v0_3(await read_json_body(request)))
        )

    async def _v0_3_stream(self, request: Request, _: str) -> AsyncIterator[Shape]:
        return _each(
            await self._service.stream(read_send_message_v0_3(await read_json_body(request)))
        )

    async def _v0_3_get(self, request: Request, task_id: str) -> Shape:
        return http_task(await self._get(request, task_id))

    async def _v0_3_cancel(self, request: Request, task_id: str) -> Shape:
        return http_task(await self._cancel(request, task_id))

    async def _v0_3_subscribe(self, request: Request, task_id: str) -> AsyncIterator[Shape]:
        return _each(await self._subscribe(request, task_id))


async def _each(events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield http_shape(event)


def _query(request: Request) -> dict[str, Any]:
    """Return the query parameters, with numbers and flags as such."""
    values: dict[str, Any] = dict(request.query_params)
    for name, text in request.query_params.items():
        if name in _NUMBERS:
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                raise invalid_field(name, "a whole number")
            values[name] = int(text)
        elif name == "includeArtifacts":
            if text not in _FLAGS:
                raise invalid_field(name, "true or false")
            values[name] = _FLAGS[text]
    return values


def _wrong_version(version: str, path: str) -> A2aError:
    instead = (
        f"send it to `{REST_PATH}{_V0_3_PATH}/…`"
        if version == "0.3"
        else f"leave `{_V0_3_PATH}` out"
    )
    return A2aError(
        VERSION,
        f"`{path[:200]}` is not a path of version {version} - the header `{VERSION_NAME}` says which it is, "
        f"without one it is 0.3 - send `{VERSION_NAME}: 1.0`, or {instead}",
        version=version,
    )


async def _no_push(_: Request, __: str) -> Shape:
    raise push_not_supported()


async def _no_extended_card(_: Request, __: str) -> Shape:
    raise no_extended_card()
