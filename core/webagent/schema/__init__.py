"""JSON Schema 2020-12 for types, and checks of values against types and schemas."""

from webagent.schema.tools import input_schema, json_schema, output_schema, result_mismatches
from webagent.schema.validate_schema import Mismatch, check_schema
from webagent.schema.validate_value import check_value

__all__ = [
    "Mismatch",
    "check_schema",
    "check_value",
    "input_schema",
    "json_schema",
    "output_schema",
    "result_mismatches",
]
