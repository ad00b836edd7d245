"""The built bundle with all its files as they are, for programs that read a folder."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles


@cache
def unpacked_bundle() -> Path:
    """Return a folder that is there until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="webagent-bundle-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    files = BundleFiles(BUNDLE)
    for name in files.names():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(files.read(name))
    return folder
