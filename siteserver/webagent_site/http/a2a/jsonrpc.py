"""The JSON-RPC binding, of 1.0 and of 0.3."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from webagent_site.http.a2a.errors import (
    CONTENT_TYPE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_ALLOWED,
    METHOD_NOT_FOUND,
    TOO_LARGE,
    UNSUPPORTED,
    A2aError,
    internal,
)
from webagent_site.http.a2a.requests import (
    VERSION_NAME,
    VERSIONS,
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    protocol_version,
    push_not_supported,
    read_get_task,
    read_json_body,
    read_list_tasks,
    read_send_message,
)
from webagent_site.http.a2a.responses import Shape, json_response, stream_response
from webagent_site.http.a2a.v0_3 import read_send_message_v0_3, rpc_shape, rpc_task

Id = str | int | float | None
Method = Callable[[Any], Awaitable[Shape | AsyncIterator[Shape]]]


class Service(Protocol):
    """The operations of A2A. Each raises `A2aError` when it refuses a request."""

    async def send(self, request: SendMessageRequest) -> Shape:
        """Answer a message with `{"task"}` or `{"message"}`."""

    async def stream(self, request: SendMessageRequest) -> AsyncIterator[Shape]:
        """Answer a message with the events of its task, or with `{"message"}` alone."""

    async def get(self, request: GetTaskRequest) -> Shape:
        """Return a task."""

    async def list(self, request: ListTasksRequest) -> Shape:
        """Return a page of tasks."""

    async def cancel(self, request: GetTaskRequest) -> Shape:
        """End a task, and return it."""

    async def subscribe(self, request: GetTaskRequest) -> AsyncIterator[Shape]:
        """Return a task, then its events from now on."""


class JsonRpc:
    """Answers at `/a2a/jsonrpc`."""

    def __init__(self, service: Service) -> None:
        """Answer for a service."""
        v0_3 = _MethodsV03(service)
        self._methods: dict[str, dict[str, Method]] = {
            "1.0": {
                "SendMessage": lambda params: service.send(read_send_message(params)),
                "SendStreamingMessage": lambda params: service.stream(read_send_message(params)),
                "GetTask": lambda params: service.get(read_get_task(params)),
                "ListTasks": lambda params: service.list(read_list_tasks(params)),
                "CancelTask": lambda params: service.cancel(read_get_task(params)),
                "SubscribeToTask": lambda params: service.subscribe(read_get_task(params)),
                "GetExtendedAgentCard": _no_extended_card,
                **{
                    f"{verb}TaskPushNotificationConfig{ending}": _no_push
                    for verb, ending in (("Create", ""), ("Get", ""), ("List", "s"), ("Delete", ""))
                },
            },
            "0.3": {
                "message/send": v0_3.send,
                "message/stream": v0_3.stream,
                "tasks/get": v0_3.get,
                "tasks/cancel": v0_3.cancel,
                "tasks/resubscribe": v0_3.subscribe,
                "agent/getAuthenticatedExtendedCard": _no_extended_card,
                **{
                    f"tasks/pushNotificationConfig/{verb}": _no_push
                    for verb in ("set", "get", "list", "delete")
                },
            },
        }

    async def answer(self, request: Request) -> Response:
        """Answer a request; errors are JSON-RPC, too."""
        request_id: Id = None
        try:
            if request.method != "POST":
                raise A2aError(METHOD_NOT_ALLOWED, "requests of JSON-RPC are sent by `POST`")
            call = await read_json_body(request)
            request_id = _id(call)
            method, params = _method_and_params(call)
            result = await self._method(protocol_version(request), method)(params)
        except Exception as fault:
            error = fault if isinstance(fault, A2aError) else internal()
            body = {"jsonrpc": "2.0", "id": request_id, "error": error.to_rpc()}
            # A request that is not JSON-RPC at all is refused by HTTP, too.
            by_http = request_id is None and error.kind in (
                METHOD_NOT_ALLOWED,
                TOO_LARGE,
                CONTENT_TYPE,
            )
            response = json_response(body, error.kind.http if by_http else 200)
            if error.kind is METHOD_NOT_ALLOWED:
                response.headers["allow"] = "POST"
            return response
        if isinstance(result, dict):
            return json_response({"jsonrpc": "2.0", "id": request_id, "result": result})
        return stream_response(_envelopes(request_id, result))

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


class _MethodsV03:
    """The methods of 0.3."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def send(self, params: Any) -> Shape:
        return rpc_shape(await self._service.send(read_send_message_v0_3(params)))

    async def stream(self, params: Any) -> AsyncIterator[Shape]:
        return _each(await self._service.stream(read_send_message_v0_3(params)))

    async def get(self, params: Any) -> Shape:
        return rpc_task(await self._service.get(read_get_task(params)))

    async def cancel(self, params: Any) -> Shape:
        return rpc_task(await self._service.cancel(read_get_task(params)))

    async def subscribe(self, params: Any) -> AsyncIterator[Shape]:
        return _each(await self._service.subscribe(read_get_task(params)))


async def _each(events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield rpc_shape(event)


async def _envelopes(request_id: Id, events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield {"jsonrpc": "2.0", "id": request_id, "result": event}


def _id(call: Any) -> Id:
    """Return the id of a request."""
    if not isinstance(call, dict):
        raise A2aError(INVALID_REQUEST, "the request is not an object - send one request at a time")
    request_id = call.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, Id):
        raise A2aError(INVALID_REQUEST, "`id` is neither a string nor a number - correct it")
    return request_id


def _method_and_params(call: dict[str, Any]) -> tuple[str, Any]:
    """Return the method and the parameters of a request."""
    method = call.get("method")
    if call.get("jsonrpc") != "2.0" or not isinstance(method, str) or not method:
        raise A2aError(
            INVALID_REQUEST, '`jsonrpc` is not `"2.0"`, or `method` is not a string - correct it'
        )
    params = call.get("params")
    if params is not None and not isinstance(params, dict):
        raise A2aError(INVALID_PARAMS, "`params` is not an object - send `{…}`")
    return method, params or {}


async def _no_push(_: Any) -> Shape:
    raise push_not_supported()


async def _no_extended_card(_: Any) -> Shape:
    raise no_extended_card()


def no_extended_card() -> A2aError:
    """Return the error for the card of authenticated clients, which does not exist."""
    return A2aError(
        UNSUPPORTED,
        "there is no extended card - the public card has everything - read "
        "`/.well-known/agent-card.json`",
    )
