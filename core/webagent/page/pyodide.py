"""Python code that runs in a page. This is the only module that uses Pyodide's own packages."""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
import time
import traceback
from typing import Any

from webagent.errors import CodeSyntaxError, ToolError, ToolThrew
from webagent.page.values import encode
from webagent.results import ExecutionResult, Log


async def run_python(code: str, namespace: dict[str, Any]) -> ExecutionResult:
    """Run Python in this interpreter; the result has the value of the last expression.

    Its output is in the result's logs. Packages of the bundle that it imports are loaded first.
    """
    from pyodide.code import eval_code_async

    started = time.perf_counter()
    value: Any = None
    error: ToolError | None = None
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            await _load_packages(code)
            value = encode(await eval_code_async(code, namespace))
    except SyntaxError as fault:
        error = CodeSyntaxError("".join(traceback.format_exception_only(fault)).strip())
    except ToolError as fault:
        error = fault
    except (Exception, KeyboardInterrupt, SystemExit, asyncio.CancelledError) as fault:
        # These would end a program, but here the page goes on.
        error = ToolThrew("".join(traceback.format_exception(fault)).strip())
    logs = tuple(Log("log", line) for line in printed.getvalue().splitlines())
    duration_ms = (time.perf_counter() - started) * 1000
    return ExecutionResult(value, error=error, logs=logs, duration_ms=duration_ms)


async def _load_packages(code: str) -> None:
    from pyodide.code import find_imports
    from pyodide_js import loadPackagesFromImports

    if missing := [name for name in find_imports(code) if name not in sys.modules]:
        # Pyodide reads imports from code. Modules that are imported already may have no package.
        await loadPackagesFromImports(
            f"import {', '.join(missing)}", messageCallback=lambda _: None
        )
