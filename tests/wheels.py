"""Wheels that tests make themselves."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

MODULE = '''def twice(n):
    """Two of it."""
    return 2 * n
'''


def pure_wheel(folder: Path, name: str, *, needs: str | None = None) -> Path:
    """Write a wheel of one module into a folder; return its path.

    Args:
        folder: Where to.
        name: Of the package; the module has `_` for `-`.
        needs: A requirement, whose module it imports.
    """
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    required = f"Requires-Dist: {needs}\n" if needs else ""
    imported = f"import {needs.partition('>')[0].replace('-', '_')}\n\n\n" if needs else ""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{required}"
    files = {
        f"{module}.py": imported + MODULE,
        f"{info}/METADATA": metadata,
        f"{info}/LICENSE": f"You may do with {name} as you like.",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for file, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        rows.writerow([file, f"sha256={digest.rstrip(b'=').decode()}", len(text.encode())])
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in {**files, f"{info}/RECORD": record.getvalue()}.items():
            wheel.writestr(file, text)
    return path
