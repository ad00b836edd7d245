"""Tests of `scripts/`: its files are not a package, and are imported by their own names."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
