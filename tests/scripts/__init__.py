"""Tests of `scripts/`, whose files are no package: they are imported by their own names."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
