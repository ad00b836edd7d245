"""Write the bundle as a folder of plain files, for the package `webagent-page` of npm.

    python scripts/npm_bundle.py FOLDER

The bundle of `webagent-site` has its files compressed. Bundlers and static hosts want them as they are, and
need none of those that belong to the development server.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import INDEX, BundleFiles
from webagent_site.publish.published_bundle import TAGGED, is_published, served

KEYS = ("version", "pyodide", "stdlib", "rest", "lock", "library", "library_path", "wheels")
"""The keys of the index that a start of Python in Node reads."""


def write_bundle(folder: Path) -> None:
    """Write the files, and an index with their place in a site and the hashes of their tags."""
    files = BundleFiles(BUNDLE)
    shutil.rmtree(folder, ignore_errors=True)
    for name in filter(is_published, files.names()):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(files.read(name))
    listed = json.loads(files.read(INDEX))
    place = served(files)
    index = {key: listed[key] for key in KEYS} | {
        "folder": place.folder,
        "integrity": {name: place.integrity_of(name) for name in TAGGED},
    }
    (folder / INDEX).write_text(f"{json.dumps(index, indent=1)}\n", encoding="utf-8")
    # For code of pages that says where the bundle is.
    (folder / "folder.js").write_text(f'export default "{place.folder}";\n', encoding="utf-8")
    (folder / "folder.d.ts").write_text(
        "/** Where a site has the bundle. */\ndeclare const folder: string;\nexport default folder;\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    write_bundle(Path(sys.argv[1]))
