"""The sites that are saved: a small one, and one of 50,000 files."""

from __future__ import annotations

from pathlib import Path

FILES = 50_000
FOLDERS = 500
DEPTH = 5
"""How deep the folders lie in each other."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Saves</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script>globalThis.global = globalThis; global.greet = (name) => `Hello ${{name}}`;</script>
<script type="module" src="/main.js"></script>
</head>
<body><p id="save">{word}</p></body>
</html>
"""
STYLE = ":root {{ --save: {word}; }}\nbody {{ margin: 2rem; }}\n"
MODULE = """globalThis.note?.("script", "{word}");
import.meta.hot?.accept();
"""
MANIFEST = """# Saves {word}

A site that is saved again and again.

## greet

Greets somebody.

### Params

- `name` (string, required): Who.

### Output

```typescript
string
```
"""
CONFIG = """[page]
start = "use"
"""
FILES_SAVED = {
    "html": ("index.html", PAGE),
    "css": ("style.css", STYLE),
    "js": ("main.js", MODULE),
    "manifest": ("webagents.md", MANIFEST),
}
"""The saved file and its text, in which `{word}` differs from save to save."""


def small_site(root: Path) -> Path:
    """Write the site and return its folder."""
    root.mkdir(parents=True)
    for kind in FILES_SAVED:
        save(root, kind, "w0")
    return root


def save(root: Path, kind: str, word: str) -> None:
    """Save one of the files in place, as most editors do."""
    name, text = FILES_SAVED[kind]
    (root / name).write_bytes(text.format(word=word).encode())


def start_on_use(root: Path) -> Path:
    """Write a configuration by which reloads start no agent, and return the folder.

    The next save would be measured while the page is busy with that.
    """
    (root / "webagent.toml").write_text(CONFIG, encoding="utf-8")
    return root


def large_site(root: Path) -> Path:
    """Write the site with 50,000 more files in 500 folders, half of them below `node_modules`."""
    small_site(root)
    for number in range(FOLDERS):
        top = "node_modules" if number % 2 else "content"
        nested = [f"part{number // 2 // DEPTH}"] + [f"deep{d}" for d in range(number // 2 % DEPTH)]
        folder = root.joinpath(top, *nested)
        folder.mkdir(parents=True)
        for file in range(FILES // FOLDERS):
            (folder / f"{file}.{('html', 'css', 'js', 'md')[file % 4]}").write_bytes(b"x\n")
    return root
