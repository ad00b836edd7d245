"""The TypeScript declarations of a manifest, which models and sites write code against."""

from webagent.codegen.page_types import TakenTypeName, generate_page_types
from webagent.codegen.types_section import shared_types
from webagent.codegen.typescript import generate_types, generate_typescript

__all__ = [
    "TakenTypeName",
    "generate_page_types",
    "generate_types",
    "generate_typescript",
    "shared_types",
]
