"""Patches between resources, and whether a live object differs from the desired one.

Everything here works on plain data (dict, list, str, int, float, bool, None) and changes none of
its arguments; a result may share parts with them. See docs/patches.md.

- `strategic`: strategic merge patches as Kubernetes makes and applies them
- `json_merge`: JSON merge patches (RFC 7386); `json_patch`: JSON patches (RFC 6902)
- `maker`: `PatchMaker`, what would have to change in a live object; `match`: where it differs
- `local`: what a local package changed, as patches; `apply`: patches on files, losslessly
"""

from pkgupdate.patch.equivalence import ignore_server_changes
from pkgupdate.patch.errors import PatchConflict, PatchError
from pkgupdate.patch.last_applied import Annotator
from pkgupdate.patch.maker import PatchMaker, PatchResult
from pkgupdate.patch.options import (
    Operands,
    Option,
    ignore_claim_templates,
    ignore_field,
    ignore_path,
    ignore_status,
)

__all__ = [
    "Annotator",
    "Operands",
    "Option",
    "PatchConflict",
    "PatchError",
    "PatchMaker",
    "PatchResult",
    "ignore_claim_templates",
    "ignore_field",
    "ignore_path",
    "ignore_server_changes",
    "ignore_status",
]
