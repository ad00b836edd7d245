"""Writes a bundle that holds packages of a site's own beside all that another bundle holds."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from webagent_dev.negotiation import IDENTITY
from webagent_dev.packages.finding import Package
from webagent_dev.publish.compression import compress, compressors
from webagent_dev.variants import SUFFIXES

NOTICES = "THIRD_PARTY_NOTICES.txt"
_RULE = "=" * 80


def write_bundle(source: Path, out: Path, packages: list[Package]) -> None:
    """Write a bundle; the folder is there when all of it is.

    Args:
        source: The bundle that the new one is made of.
        out: The folder to write, or a bundle that was written so before.
        packages: What to add.

    Raises:
        OSError: A file cannot be read or written.
    """
    making = out.with_name(f"{out.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    try:
        shutil.copytree(source, making)
        _add(making, packages)
        shutil.rmtree(out, ignore_errors=True)
        making.replace(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _add(bundle: Path, packages: list[Package]) -> None:
    listed = json.loads((bundle / "bundle.json").read_text("utf-8"))
    old_lock, old_build = listed["lock"], listed["build"]
    lock = json.loads((bundle / old_lock).read_text("utf-8"))
    had = set(lock["packages"])
    for package in packages:
        digest = hashlib.sha256(package.data).hexdigest()
        place = _place(bundle, package.file, package.data)
        name = package.entry["name"].lower().replace("_", "-")
        lock["packages"][name] = {**package.entry, "file_name": place, "sha256": digest}
    text = f"{json.dumps(lock, indent=1, sort_keys=True)}\n".encode()
    new_lock = _place(bundle, Path(old_lock).name, text)
    build = hashlib.sha256(f"{old_build}\0{new_lock}".encode()).hexdigest()[: len(old_build)]
    shutil.rmtree((bundle / old_lock).parent)
    changed = [
        script.name
        for script in sorted(bundle.glob("*.js"))
        if _rewrite(script, old_lock, new_lock, len(text), old_build, build)
    ]
    listed.get("variants", {}).pop(old_lock, None)
    added = [entry["file_name"] for name, entry in lock["packages"].items() if name not in had]
    _copy_anew(bundle, listed, [new_lock, *changed, *added])
    _told(listed, old_lock, new_lock, len(text))
    pins = [f"{package.entry['name']}=={package.entry['version']}" for package in packages]
    listed.update(lock=new_lock, build=build, made_of=old_build, added=pins)
    (bundle / "bundle.json").write_text(f"{json.dumps(listed, indent=1)}\n", encoding="utf-8")
    with (bundle / NOTICES).open("a", encoding="utf-8") as notices:
        for title, licence in (package.licence for package in packages):
            notices.write(f"\n{_RULE}\n{title}\n{_RULE}\n\n{licence.strip()}\n")


def _place(bundle: Path, name: str, data: bytes) -> str:
    """Write a file under a name that changes with its content; return its path in the bundle."""
    digest = hashlib.sha256(name.encode() + b"\0" + data).hexdigest()[:16]
    target = bundle / "assets" / digest / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return f"assets/{digest}/{name}"


def _rewrite(
    script: Path, old_lock: str, new_lock: str, size: int, old_build: str, build: str
) -> bool:
    """Let a script that names the list of the bundle's files, or its build, name the new one."""
    text = script.read_text("utf-8")
    if old_lock not in text and old_build not in text:
        return False
    text = re.sub(rf'("{re.escape(old_lock)}"):[0-9.e]+', rf"\1:{size}", text)
    text = text.replace(old_lock, new_lock).replace(old_build, build)
    script.write_text(text, encoding="utf-8")
    return True


def _copy_anew(bundle: Path, listed: dict[str, Any], names: list[str]) -> None:
    """Make the smaller copies of files that are new or have changed."""
    variants = listed.setdefault("variants", {})
    for name in names:
        variants.pop(name, None)
        for suffix in SUFFIXES.values():
            (bundle / f"{name}{suffix}").unlink(missing_ok=True)
    coding_of = {suffix: coding for coding, suffix in SUFFIXES.items()}
    for copy in compress([bundle / name for name in names], compressors()):
        file = copy.with_suffix("")
        digests = variants.setdefault(file.relative_to(bundle).as_posix(), {})
        digests[IDENTITY] = hashlib.sha256(file.read_bytes()).hexdigest()
        digests[coding_of[copy.suffix]] = hashlib.sha256(copy.read_bytes()).hexdigest()


def _told(listed: dict[str, Any], old_lock: str, new_lock: str, size: int) -> None:
    """Replace the lock file in the lists of what starts fetch."""
    for start in (listed, listed["snapshot"] or {}):
        if old_lock in start.get("sizes", {}):
            del start["sizes"][old_lock]
            start["sizes"][new_lock] = size
