"""Writes the smaller copies that `variants.mjs` asks for, and prints the suffixes that can be made here.

Asked for on stdin, as JSON: [[file, copy, suffix, level], ...]. A copy that is not worth it is empty.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webagent_dev.publish.compression import compressors, smaller

WAYS = compressors()


def write(file, copy, suffix, level):
    packed = smaller(Path(file).read_bytes(), WAYS[suffix], level)
    making = Path(f"{copy}.{os.getpid()}")
    making.write_bytes(packed or b"")
    making.replace(copy)


with ThreadPoolExecutor() as pool:
    for _ in pool.map(
        lambda job: write(*job), [job for job in json.load(sys.stdin) if job[2] in WAYS]
    ):
        pass
print(json.dumps(list(WAYS)))
