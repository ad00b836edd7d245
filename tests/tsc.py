"""TypeScript's own compiler as an oracle: many programs, one process."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMPILER = ROOT / "browser_bundle/node_modules/.bin/tsc"
OPTIONS = {
    "strict": True,
    "noEmit": True,
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "module": "esnext",
    "types": [],
}
_ERROR = re.compile(r"(\d+)\.ts\((\d+),(\d+)\): error (TS\d+: .*)")
MANIFEST = """\
# Shop

## Types

```typescript
interface Product { id: string; price: number }
```

## search
Find products.

### Params
- `query` (string, required): Words.
- `limit` (number, optional): Most.

### Output
`Product[]`

## pay-now
Pay.

### Params
- `...ids` (string): What for.

### Output
```typescript
{ paid: boolean }
```
"""
"""What declarations are made of, to be compiled."""


def compile_errors(programs: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what `tsc --strict` says of each program that it refuses, as `line:column error`.

    Each program is a module of its own, so that all may declare the same names. The compiler looks
    at types only if the syntax of all is right, so those that are refused are taken out and the
    rest is compiled once more.
    """
    errors = _compile(programs)
    if errors:
        errors |= _compile({name: programs[name] for name in programs if name not in errors})
    return errors


def _compile(programs: Mapping[str, str]) -> dict[str, list[str]]:
    names = list(programs)
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names):
            code = f"{programs[name]}\nexport {{}};\n"
            (Path(folder) / f"{number}.ts").write_bytes(code.encode("utf-8", "replace"))
        project = Path(folder) / "tsconfig.json"
        project.write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["*.ts"]}))
        done = subprocess.run(
            [COMPILER, "--pretty", "false", "--project", project],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=folder,
        )
    errors: dict[str, list[str]] = {}
    for match in _ERROR.finditer(done.stdout):
        place = f"{match[2]}:{match[3]} {match[4]}"
        errors.setdefault(names[int(match[1])], []).append(place)
    if done.returncode and not errors:
        raise RuntimeError(f"the compiler failed: {done.stdout}{done.stderr}")
    return errors
