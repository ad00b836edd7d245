"""Writes the compressed copies that `variants.mjs` asks for.

Asked for on stdin, as JSON: [[file, copy, suffix, level], ...]. A copy that is not worth it is empty.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webagent_site.http.compression import compressors, smaller

WAYS = compressors()


def write(file, copy, suffix, level):
    packed = smaller(Path(file).read_bytes(), WAYS[suffix], level)
    making = Path(f"{copy}.{os.getpid()}")
    making.write_bytes(packed or b"")
    making.replace(copy)


with ThreadPoolExecutor() as pool:
    for _ in pool.map(lambda job: write(*job), json.load(sys.stdin)):
        pass
