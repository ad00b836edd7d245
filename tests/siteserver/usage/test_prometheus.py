"""The example for Prometheus of `docs/how-to/going-live.md`, in a process of its own."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
AFTER = """
import asyncio
import urllib.request

from webagent_site.broker.usage_counts import MemoryCounts
from webagent_site.llm.telemetry import report_refusal
from webagent_site.usage.tool_usage import ToolUsage

report_refusal(429, "insufficient_quota")
usage = ToolUsage({"findBooks": "Find books"}, MemoryCounts())
call = {"type": "call", "tool": "findBooks", "duration_ms": 20}
events = [call, call | {"error": "threw"}, {"type": "helpful", "tool": "findBooks"}]
asyncio.run(usage.add({"events": events}))
print(urllib.request.urlopen("http://127.0.0.1:9464/metrics").read().decode())
"""


def test_the_example_for_prometheus() -> None:
    """The metrics of the gateway and of the tools are at its address."""
    page = (ROOT / "docs/how-to/going-live.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```py\n(from opentelemetry import metrics\n.+?)```", page, re.DOTALL)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = (example + AFTER).replace("9464", str(port))

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    measured = [
        (
            name,
            {
                key: text
                for key, text in re.findall(r'(\w+)="([^"]+)"', labels)
                if "otel" not in key
            },
        )
        for name, labels in re.findall(r"^(webagent_\w+)\{(.*)\} 1\.0$", done.stdout, re.MULTILINE)
    ]
    tool = {"gen_ai_tool_name": "findBooks"}
    for expected in (
        ("webagent_gateway_refusals_total", {"error_type": "insufficient_quota"}),
        ("webagent_tool_duration_seconds_count", tool),
        ("webagent_tool_duration_seconds_count", tool | {"error_type": "threw"}),
        ("webagent_tool_thumbs_total", tool | {"webagent_thumb": "up"}),
    ):
        assert expected in measured, done.stdout
