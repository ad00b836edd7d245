"""Runs every benchmark and prints its table: `make bench`."""

from __future__ import annotations

import asyncio

from tests.bench import serve, start

BENCHMARKS = (start, serve)

for benchmark in BENCHMARKS:
    print(f"\n## {benchmark.TITLE}\n", flush=True)
    print(asyncio.run(benchmark.run()), flush=True)
