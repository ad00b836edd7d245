"""A2A 0.3: its requests are turned into those of 1.0, and the responses of 1.0 into its own.

It has two spellings. That of JSON-RPC has `kind` in every object. That of HTTP+JSON is the ProtoJSON
of a schema of its own.
"""

from __future__ import annotations

from typing import Any

from webagent_site.http.a2a.errors import A2aError
from webagent_site.http.a2a.requests import (
    Fields,
    SendMessageRequest,
    invalid_field,
    push_not_supported,
    read_send_message,
)
from webagent_site.http.a2a.responses import Shape

_ROLES = {"user": "ROLE_USER", "ROLE_USER": "ROLE_USER"}
_HTTP_STATES = {"TASK_STATE_CANCELED": "TASK_STATE_CANCELLED"}
"""States that HTTP+JSON spells in another way."""
_UNKNOWN = ("parts", "referenceTaskIds")
"""Fields of a message that the schema of HTTP+JSON does not have."""
_WORKING = "TASK_STATE_WORKING"


def read_send_message_v0_3(params: Any) -> SendMessageRequest:
    """Read the parameters of `message/send` and `message/stream`, in either spelling.

    Raises:
        A2aError: A field is missing or wrong.
    """
    fields = Fields(params)
    configuration = fields.inner("configuration")
    if configuration.has("pushNotificationConfig") or configuration.has("pushNotification"):
        raise push_not_supported()
    name = "message" if fields.has("message") else "request"
    if not fields.has(name):
        raise invalid_field(fields.path("message"), "an object")
    request = {
        "acceptedOutputModes": configuration.texts("acceptedOutputModes"),
        "historyLength": configuration.value("historyLength"),
        "returnImmediately": not configuration.get("blocking", bool, True),
    }
    return read_send_message(
        {"message": _message_v1_0(fields.inner(name)), "configuration": request}
    )


def rpc_shape(shape: Shape) -> Shape:
    """Return a response or an event in the JSON-RPC spelling."""
    match shape:
        case {"task": task}:
            return rpc_task(task)
        case {"message": message}:
            return _rpc_message(message)
        case {"statusUpdate": update}:
            final = update["status"]["state"] != _WORKING
            about = {"kind": "status-update", "final": final}
            return {**update, **about, "status": _rpc_status(update["status"])}
        case {"artifactUpdate": update}:
            return {
                **update,
                "kind": "artifact-update",
                "artifact": _rpc_artifact(update["artifact"]),
            }
    raise AssertionError(shape)


def rpc_task(task: Shape) -> Shape:
    """Return a task in the JSON-RPC spelling."""
    return {
        **task,
        "kind": "task",
        "status": _rpc_status(task["status"]),
        **_each(task, "artifacts", _rpc_artifact),
        **_each(task, "history", _rpc_message),
    }


def http_shape(shape: Shape) -> Shape:
    """Return a response or an event in the HTTP+JSON spelling."""
    match shape:
        case {"task": task}:
            return {"task": http_task(task)}
        case {"message": message}:
            return {"message": _http_message(message)}
        case {"statusUpdate": update}:
            final = update["status"]["state"] != _WORKING
            status = _http_status(update["status"])
            return {"statusUpdate": {**update, "status": status, "final": final}}
        case {"artifactUpdate": update}:
            return {"artifactUpdate": {**update, "artifact": _http_artifact(update["artifact"])}}
    raise AssertionError(shape)


def http_task(task: Shape) -> Shape:
    """Return a task in the HTTP+JSON spelling."""
    return {
        **task,
        "status": _http_status(task["status"]),
        **_each(task, "artifacts", _http_artifact),
        **_each(task, "history", _http_message),
    }


def http_error(error: A2aError) -> Shape:
    """Return an error as in 1.0, and with its type as in HTTP+JSON of 0.3."""
    name = "".join(map(str.capitalize, error.kind.reason.split("_")))
    typed = {"type": f"{name}Error", "message": str(error)} if name else {}
    return {**error.to_http(), **typed}


def _message_v1_0(fields: Fields) -> Shape:
    role = fields.value("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise invalid_field(fields.path("role"), "`user`")
    name = "content" if fields.has("content") else "parts"
    message = fields.present(
        messageId=str,
        contextId=str,
        taskId=str,
        metadata=dict,
        extensions=list,
        referenceTaskIds=list,
    )
    parts = [_part_v1_0(part) for part in fields.objects(name)]
    return {**message, "role": _ROLES[role], "parts": parts}


def _part_v1_0(fields: Fields) -> Shape:
    kept = fields.present(metadata=dict)
    kind = fields.value("kind") or next(filter(fields.has, ("text", "file", "data")), None)
    match kind:
        case "text":
            return {"text": fields.get("text", str, ""), **kept} if fields.has("text") else {}
        case "data":
            data = fields.inner("data")
            # ProtoJSON has another object around the object.
            inside = data.value("data") if isinstance(data.value("data"), dict) else None
            return {"data": fields.value("data") if inside is None else inside, **kept}
        case "file":
            return {**_file_v1_0(fields.inner("file")), **kept}
    raise invalid_field(fields.path("kind"), "`text`, `file` or `data`")


def _file_v1_0(fields: Fields) -> Shape:
    shape: Shape = {}
    for name, new_name in (
        *(("bytes", "raw"), ("fileWithBytes", "raw"), ("uri", "url"), ("fileWithUri", "url")),
        *(("mimeType", "mediaType"), ("name", "filename")),
    ):
        if text := fields.get(name, str, ""):
            shape[new_name] = text
    return shape


def _rpc_status(status: Shape) -> Shape:
    state = status["state"].removeprefix("TASK_STATE_").lower().replace("_", "-")
    message = status.get("message")
    return {**status, "state": state, **({"message": _rpc_message(message)} if message else {})}


def _rpc_message(message: Shape) -> Shape:
    role = message["role"].removeprefix("ROLE_").lower()
    return {**message, "kind": "message", "role": role, "parts": _rpc_parts(message["parts"])}


def _rpc_artifact(artifact: Shape) -> Shape:
    return {**artifact, "parts": _rpc_parts(artifact["parts"])}


def _rpc_parts(parts: list[Shape]) -> list[Shape]:
    return [_rpc_part(part) for part in parts]


def _rpc_part(part: Shape) -> Shape:
    kept = {"metadata": part["metadata"]} if "metadata" in part else {}
    if "text" in part:
        return {"kind": "text", "text": part["text"], **kept}
    if "data" in part:
        return {"kind": "data", "data": _object(part["data"]), **kept}
    names = {"bytes": "raw", "uri": "url", "name": "filename", "mimeType": "mediaType"}
    file = {name: part[new_name] for name, new_name in names.items() if new_name in part}
    return {"kind": "file", "file": file, **kept}


def _http_status(status: Shape) -> Shape:
    state = _HTTP_STATES.get(status["state"], status["state"])
    message = status.get("message")
    return {**status, "state": state, **({"message": _http_message(message)} if message else {})}


def _http_message(message: Shape) -> Shape:
    kept = {name: value for name, value in message.items() if name not in _UNKNOWN}
    return {**kept, "content": [_http_part(part) for part in message["parts"]]}


def _http_artifact(artifact: Shape) -> Shape:
    return {**artifact, "parts": [_http_part(part) for part in artifact["parts"]]}


def _http_part(part: Shape) -> Shape:
    kept = {"metadata": part["metadata"]} if "metadata" in part else {}
    if "text" in part:
        return {"text": part["text"], **kept}
    if "data" in part:
        return {"data": {"data": _object(part["data"])}, **kept}
    names = {
        "fileWithBytes": "raw",
        "fileWithUri": "url",
        "name": "filename",
        "mimeType": "mediaType",
    }
    file = {name: part[new_name] for name, new_name in names.items() if new_name in part}
    return {"file": file, **kept}


def _object(data: Any) -> Shape:
    """Return data as an object: 0.3 has no other data."""
    return data if isinstance(data, dict) else {"value": data}


def _each(task: Shape, name: str, change: Any) -> Shape:
    return {name: [change(item) for item in task[name]]} if name in task else {}
