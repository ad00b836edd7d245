"""The TypeScript declarations of a manifest, which models write code against."""

from webagent.codegen.types_section import shared_types
from webagent.codegen.typescript import generate_types, generate_typescript

__all__ = ["generate_types", "generate_typescript", "shared_types"]
