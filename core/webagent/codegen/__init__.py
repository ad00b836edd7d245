"""From a manifest to the TypeScript declarations that a model writes code against."""

from webagent.codegen.shared_types import shared_types
from webagent.codegen.typescript import generate_typescript

__all__ = ["generate_typescript", "shared_types"]
