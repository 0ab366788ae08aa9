"""Patches between resources, and whether a live object differs from the desired one.

Everything here works on plain data (dict, list, str, int, float, bool, None) and changes none of
its arguments; a result may share parts with them.

- `strategic`: strategic merge patches as Kubernetes makes and applies them
- `json_merge`: JSON merge patches (RFC 7386); `json_patch`: JSON patches (RFC 6902)
- `maker`: `PatchMaker`, what would have to change in a live object; `match`: where it differs
- `local`: what a local package changed, as patches; `writeback`: new data into an old text
"""
