"""Types as JSON Schema 2020-12, schemas as types, and values checked against types."""

from webagent.schema.tools import input_schema, json_schema, output_schema
from webagent.schema.values import Mismatch, check_value

__all__ = ["Mismatch", "check_value", "input_schema", "json_schema", "output_schema"]
