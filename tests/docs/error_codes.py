"""The error codes of the program, read from its source."""

import ast
from collections.abc import Iterator
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "pkgupdate"


def codes_in_program() -> set[str]:
    """Every code that an error can have.

    A code is a string in the place of a parameter named ``code`` of an error class, or of a
    function that builds errors; or it is the first column of a table that such a call goes through.
    """
    modules = [ast.parse(file.read_text()) for file in PROGRAM.rglob("*.py")]
    classes = dict.fromkeys(_error_classes(modules), 0)
    everywhere = {name: place for module in modules for name, place in _builders(module).items()}
    found: set[str] = set()
    for module in modules:
        imported = {name: everywhere[name] for name in _imports(module) & everywhere.keys()}
        places = classes | imported | _builders(module)
        tables = _first_columns(module)
        for call in _calls(module):
            place = places.get(_name(call.func))
            if place is None:
                continue
            given = call.args[place : place + 1] + [
                k.value for k in call.keywords if k.arg == "code"
            ]
            for code in given:
                found |= (
                    tables.get(code.id, set()) if isinstance(code, ast.Name) else _results(code)
                )
    return found


def _error_classes(modules: list[ast.Module]) -> set[str]:
    classes = [node for module in modules for node in ast.walk(module)]
    bases = {
        node.name: {_name(base) for base in node.bases}
        for node in classes
        if isinstance(node, ast.ClassDef)
    }
    found = {"PkgUpdateError"}
    while more := {name for name in bases if bases[name] & found} - found:
        found |= more
    return found


def _builders(module: ast.Module) -> dict[str, int]:
    """Functions with a parameter `code`, and its position among the arguments of a call."""
    found: dict[str, int] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            if "code" in names and "Error" in ast.unparse(node.returns or ast.Name("")):
                found[node.name] = names.index("code")
    return found


def _imports(module: ast.Module) -> set[str]:
    imports = (node for node in ast.walk(module) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in imports for alias in node.names}


def _first_columns(module: ast.Module) -> dict[str, set[str]]:
    """For each ``for a, b in TABLE`` over a table of the module: the strings that `a` can be."""
    tables = {
        _name(node.targets[0]): node.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
    }
    return {
        _name(loop.target.elts[0]): {
            code
            for row in tables[_name(loop.iter)].elts
            if isinstance(row, ast.Tuple)
            for code in _results(row.elts[0])
        }
        for loop in ast.walk(module)
        if isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Tuple)
        and _name(loop.iter) in tables
    }


def _results(code: ast.expr) -> set[str]:
    """What an expression can be: a string, or one of the two of a conditional expression."""
    if isinstance(code, ast.IfExp):
        return _results(code.body) | _results(code.orelse)
    return {code.value} if isinstance(code, ast.Constant) and isinstance(code.value, str) else set()


def _calls(module: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(module) if isinstance(node, ast.Call))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
