"""Updating a package: from its folder and a ref to a plan, from the plan to files.

`plan` and `get` work out what is to change and write nothing; `journal` carries it out, all or
nothing.
"""
