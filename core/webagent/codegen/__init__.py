"""From a manifest to the TypeScript declarations that a model writes code against."""

from webagent.codegen.declarations import generate_typescript
from webagent.codegen.shared import shared_types

__all__ = ["generate_typescript", "shared_types"]
