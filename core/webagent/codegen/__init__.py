"""From a manifest to the TypeScript declarations that a model writes code against."""

from webagent.codegen.declarations import generate_typescript

__all__ = ["generate_typescript"]
