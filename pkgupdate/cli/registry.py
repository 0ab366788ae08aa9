"""Every command of the program: where its function is, and its line in `--help`.

A module is imported only when its command runs, so that `--help` and completion stay fast. To add
a command, write its function (its signature are its options) and add a line here.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """target: ``module:function``. help: one line. options: groups of `options.py` it takes.

    A name of two words is a command in a group.
    """

    target: str
    help: str
    options: tuple[str, ...] = ()


_COMMANDS = "pkgupdate.cli.commands."

_UPDATE = ("policy", "update", "upstream", "network")

COMMANDS: dict[str, Entry] = {
    "get": Entry(
        _COMMANDS + "get:get",
        "Fetch a package from its upstream into a new folder.",
        ("upstream", "network"),
    ),
    "update": Entry(
        _COMMANDS + "update:update", "Merge upstream's changes into a package.", _UPDATE
    ),
    "merge": Entry(
        _COMMANDS + "merge:merge", "Merge three files or folders, without Git.", ("policy",)
    ),
    "plan": Entry(_COMMANDS + "plan:plan", "Compute an update and store it for review.", _UPDATE),
    "apply": Entry(_COMMANDS + "apply:apply", "Carry out a stored plan."),
    "recover": Entry(_COMMANDS + "recover:recover", "Finish or take back an interrupted update."),
    "undo": Entry(_COMMANDS + "recover:undo", "Take back the last update of a package."),
    "diff": Entry(
        _COMMANDS + "diff:diff", "Show what differs: local, upstream or both.", ("network",)
    ),
    "status": Entry(
        _COMMANDS + "status:status",
        "Show where packages stand: ref, newest, local changes.",
        ("network",),
    ),
    "outdated": Entry(
        _COMMANDS + "status:outdated", "List packages behind upstream.", ("network",)
    ),
    "log": Entry(_COMMANDS + "log:log", "List upstream's commits since the fetch.", ("network",)),
    "tree": Entry(_COMMANDS + "tree:tree", "List the resources of a package by file."),
    "init": Entry(_COMMANDS + "init:init", "Make a folder a package."),
    "protect": Entry(_COMMANDS + "protect:protect", "Let local always win at a place."),
    "unprotect": Entry(_COMMANDS + "protect:unprotect", "Take a protection back."),
    "patch create": Entry(_COMMANDS + "patch:create", "Make a patch out of two versions."),
    "patch apply": Entry(_COMMANDS + "patch:apply", "Put patches on a file or a package."),
    "match": Entry(_COMMANDS + "match:match", "Compare a package with live objects."),
    "config show": Entry(_COMMANDS + "config:show", "Show each setting and where it comes from."),
    "fn": Entry(_COMMANDS + "fn:fn", "Run as a KRM function: a ResourceList in, one out."),
    "check": Entry(_COMMANDS + "check:check", "Look for what a merge or an edit left half done."),
    "resolve": Entry(_COMMANDS + "resolve:resolve", "Go through conflicts one by one."),
    "git enable": Entry(_COMMANDS + "git:enable", "Let Git merge packages with pkgupdate."),
    "git disable": Entry(_COMMANDS + "git:disable", "Take that back."),
    "git status": Entry(_COMMANDS + "git:status", "Show what is set up, as Git sees it."),
    "merge-driver": Entry(_COMMANDS + "git:merge_driver", "Merge one file; Git calls this."),
    "hook run": Entry(_COMMANDS + "hook:run", "Check a merge; the installed hooks call this."),
}

GROUPS: dict[str, str] = {
    "git": "The merge driver and the hooks of a Git repository.",
    "hook": "What the installed hooks call.",
    "patch": "Strategic merge patches, JSON merge patches and JSON patches.",
    "config": "Settings and where they come from.",
}
