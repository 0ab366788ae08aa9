"""What is known about the lists and fields of resources.

`SchemaSet.for_resource` is the way in; it gives a `Schema`, a cursor that follows a document down.
"""

from pkgupdate.schema.entries import SchemaEntry
from pkgupdate.schema.model import UNKNOWN, ListRule, Schema, Shape
from pkgupdate.schema.schema_set import SchemaSet

__all__ = ["UNKNOWN", "ListRule", "Schema", "SchemaEntry", "SchemaSet", "Shape"]
