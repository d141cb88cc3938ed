"""An MCP server of the functions in this package, over stdio; it needs the standard library alone.

It answers clients that begin with ``initialize`` and those that send their protocol version with every request.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_STATELESS = ("2026-07-28",)
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_SERVER = {"name": Path(__file__).resolve().parent.name, "version": "1"}
_CAN = {"tools": {"listChanged": False}}


def _calls() -> Any:
    """The module that calls functions: also where this folder is run by its path."""
    return importlib.import_module("._calls" if __package__ else "_calls", __package__)


class _Refused(Exception):
    """A request that the protocol answers with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


def _result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        wanted = params.get("protocolVersion")
        version = wanted if wanted in _HANDSHAKE else _HANDSHAKE[-1]
        return {"protocolVersion": version, "capabilities": _CAN, "serverInfo": _SERVER}
    if method == "server/discover":
        return {"supportedVersions": [*_STATELESS, *_HANDSHAKE], "capabilities": _CAN}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [_listed(tool) for tool in _calls().tools().values()]}
    if method == "tools/call":
        return _call(params.get("name"), params.get("arguments") or {})
    raise _Refused(-32601, f"no method {method}")


def _listed(tool: dict[str, Any]) -> dict[str, Any]:
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return {**{key: tool[key] for key in ("name", "description", "inputSchema")}, "annotations": hints}


def _call(name: Any, arguments: Any) -> dict[str, Any]:
    known = _calls().tools()
    if not isinstance(name, str) or name not in known:
        raise _Refused(-32602, f"no tool {name!r}; there are {', '.join(known)}"[:500])
    if not isinstance(arguments, dict):
        raise _Refused(-32602, "arguments must be an object")
    value = _calls().call(name, arguments)
    wrong = isinstance(value, _calls().Problem)
    text = value if isinstance(value, str) else json.dumps(value)
    told: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": wrong}
    return told if wrong else {**told, "structuredContent": {"result": value}}


def _answer(line: bytes) -> dict[str, Any] | None:
    """The reply to a message; None for one that asks for nothing."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON"}}
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "not a request"}}
    if "id" not in message:
        return None
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    try:
        if version is not None and version not in _STATELESS:
            supported = {"supported": [*_STATELESS, *_HANDSHAKE], "requested": version}
            raise _Refused(-32022, "this protocol version is not supported", supported)
        result = _result(message["method"], params)
    except _Refused as refused:
        error = {"code": refused.code, "message": str(refused)}
        error |= {} if refused.data is None else {"data": refused.data}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    if version is not None:
        result |= {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": _SERVER}}
        if message["method"] != "tools/call":
            result |= {"ttlMs": 0, "cacheScope": "public"}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def main() -> None:
    """Answers messages, one a line, until the input ends."""
    for line in sys.stdin.buffer:
        answer = _answer(line) if line.strip() else None
        if answer is not None:
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
