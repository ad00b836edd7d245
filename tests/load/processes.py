"""Processes of a site, their Redis, and nginx before them; each can be killed, paused and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from redis.asyncio import Redis

from tests.deployed import NGINX, free_port
from tests.load.app_text import MANIFEST
from tests.redis_server import RedisServer, find_redis
from tests.visitor_page import PLAIN

_NGINX = """
{user}daemon off; pid {folder}/pid; error_log {folder}/error.log;
worker_processes 1; worker_rlimit_nofile 20000;
events {{ worker_connections 16000; }}
http {{
  access_log off;
  upstream site {{ {servers} keepalive 32; keepalive_timeout 4s; }}
  map $http_upgrade $pass_connection {{ default upgrade; '' ''; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $pass_connection;
    proxy_read_timeout 600s;
    # A call has an id, so that it may be sent twice.
    proxy_next_upstream error timeout non_idempotent;
    location / {{ proxy_pass http://site; }}
  }}
}}
"""


@dataclass(frozen=True)
class Used:
    """Processor time in seconds and memory in MB: of all processes of a site, and of its Redis."""

    cpu_s: float
    memory_mb: float
    redis_s: float
    redis_mb: float


class Worker:
    """One process of the site."""

    def __init__(self, folder: Path, broker: str | None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._environment = {
            **os.environ,
            "LOAD_FOLDER": str(folder),
            "LOAD_BROKER": broker or "",
            "WEBAGENT_SECRET": "1" * 64,
        }
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [
            *(sys.executable, "-m", "uvicorn", "tests.load.app:app", "--port", str(self.port)),
            *("--log-level", "warning", "--timeout-graceful-shutdown", "10", "--backlog", "4096"),
            *("--ws", "websockets-sansio"),
        ]
        self._begin(command)
        async with httpx.AsyncClient(verify=PLAIN) as client:
            for _ in range(600):
                try:
                    if (await client.get(f"{self.url}/")).status_code == 200:
                        return
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
        raise AssertionError((self._folder / "workers.log").read_text("utf-8"))

    def _begin(self, command: list[str]) -> None:
        with (self._folder / "workers.log").open("ab") as log:
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def send(self, number: int) -> None:
        """Send it a signal."""
        assert self.process
        self.process.send_signal(number)

    async def kill(self) -> None:
        """Kill it at once."""
        self.send(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> None:
        """Ask it to end, as a rolling restart does."""
        self.send(signal.SIGTERM)
        await self.ended()

    async def ended(self) -> None:
        """Wait until it has ended."""
        assert self.process
        await asyncio.to_thread(self.process.wait)

    def cpu_s(self) -> float:
        """Return the processor time that it has used."""
        assert self.process
        fields = (
            Path(f"/proc/{self.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return its resident memory."""
        assert self.process
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


class Deployment:
    """A site of several processes."""

    def __init__(self, folder: Path, workers: int, redis: RedisServer | None) -> None:
        self.folder = folder
        self.redis = redis
        self.workers = [Worker(folder, redis.url if redis else None) for _ in range(workers)]
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._nginx: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start all."""
        await asyncio.gather(*(worker.start() for worker in self.workers))
        servers = " ".join(
            f"server 127.0.0.1:{worker.port} max_fails=0;" for worker in self.workers
        )
        text = _NGINX.format(
            user="user root; " if os.geteuid() == 0 else "",
            folder=self.folder,
            servers=servers,
            port=self.port,
        )
        (self.folder / "nginx.conf").write_text(text, "utf-8")
        assert NGINX, "there is no nginx"
        command = [
            NGINX,
            "-c",
            str(self.folder / "nginx.conf"),
            "-e",
            str(self.folder / "error.log"),
        ]
        self._begin(command)
        async with httpx.AsyncClient(verify=PLAIN) as client:
            for _ in range(200):
                try:
                    if (await client.get(f"{self.url}/")).status_code == 200:
                        return
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
        raise AssertionError((self.folder / "error.log").read_text("utf-8"))

    def _begin(self, command: list[str]) -> None:
        self._nginx = subprocess.Popen(command)

    async def used(self) -> Used:
        """Return the use of the processes and of Redis so far."""
        cpu_s = sum(worker.cpu_s() for worker in self.workers)
        memory_mb = sum(worker.memory_mb() for worker in self.workers)
        if self.redis is None:
            return Used(cpu_s, memory_mb, 0.0, 0.0)
        async with Redis.from_url(self.redis.url) as client:
            info = await client.info()
        redis_s = info["used_cpu_user"] + info["used_cpu_sys"]
        return Used(cpu_s, memory_mb, redis_s, info["used_memory"] / (1 << 20))

    async def close(self) -> None:
        """End all."""
        if self._nginx:
            # Killed, it would leave its own processes behind.
            self._nginx.terminate()
            await asyncio.to_thread(self._nginx.wait)
        for worker in self.workers:
            if worker.process and worker.process.poll() is None:
                worker.send(signal.SIGCONT)
                await worker.kill()
        if self.redis:
            self.redis.go_on()
            self.redis.kill()


@asynccontextmanager
async def deployed(folder: Path, workers: int, *, broker: bool = True) -> AsyncIterator[Deployment]:
    """Run a site."""
    (folder / "webagents.md").write_text(MANIFEST, "utf-8")
    path = find_redis()
    assert path, "there is no redis-server"
    redis = RedisServer(path, folder) if broker else None
    deployment = Deployment(folder, workers, redis)
    try:
        await deployment.start()
        yield deployment
    finally:
        await deployment.close()
