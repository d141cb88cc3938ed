"""Applies moves.tsv and names.tsv to a clone. Standard library alone; run from the root of the tree, then ruff.

    python codemod.py moves [--only evolve/ledger,evolve/store]   # git mv + imports, paths, strings, docs
    python codemod.py joins [--only evolve/core/budget.py]        # files with several sources (by NEW path), in one
    python codemod.py names [--only evolve.gate] [--kind class]   # renames definitions and their uses by import

`moves` moves each file to its new path; a source that joins another keeps its own name beside the target until `joins`.
Afterwards: ruff check --fix --select I,F401 . && ruff format . && tests. Nothing is committed.
"""

import ast, collections, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).parent
TREES = ["evolve", "tests", "benchmarks", "packages", "docs", ".ci", "examples"]
TEXTS = {".py", ".md", ".toml", ".txt", ".cfg", ".json"}


KNOWN = sorted(pathlib.Path("evolve").rglob("*.py"))


def option(name):
    return sys.argv[sys.argv.index(name) + 1].split(",") if name in sys.argv else []


def table(name):
    lines = (HERE / name).read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def module(path):
    return ".".join(pathlib.PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")


def files():
    for tree in TREES:
        for path in sorted(pathlib.Path(tree).rglob("*")):
            if (
                path.is_file()
                and path.suffix in TEXTS
                and "golden/archives" not in str(path)
                and ".venv" not in path.parts
            ):
                yield path
    yield from map(pathlib.Path, ("pyproject.toml", "hatch_build.py", "conftest.py", "CONTRIBUTING.md", "README.md"))


def targets(rows):
    """old -> where it goes now: the new path, or beside it under its own name where another source is first."""
    first, used, out = {}, {row["new"] for row in rows}, {}
    for row in sorted(
        rows,
        key=lambda r: (
            r["old"] != r["new"] and r["new"].endswith("__init__.py"),
            r["old"].endswith("__init__.py") and not r["new"].endswith("__init__.py"),
        ),
    ):  # else in the table's order, the main source first
        new = row["new"]
        if new not in first:
            first[new] = row["old"]
        else:
            old = pathlib.PurePosixPath(row["old"])
            name = f"{old.parent.name}_door.py" if old.name == "__init__.py" else old.name
            beside = str(pathlib.PurePosixPath(new).parent / name)
            if beside in used or beside in {r["old"] for r in rows}:
                beside = str(pathlib.PurePosixPath(new).parent / f"{old.parent.name}_{name}")
            used.add(beside)
            new = beside
        out[row["old"]] = new
    return out


def moves():
    rows, only = table("moves.tsv"), option("--only")
    every = targets(rows)
    chosen = {
        o: n
        for o, n in every.items()
        if o != n and (not only or any(o.startswith(p) for p in only)) and pathlib.Path(o).exists()
    }
    doors = {}  # vanished doors: name -> module that defines it
    for old in chosen:
        if old.endswith("/__init__.py"):
            for node in ast.walk(ast.parse(pathlib.Path(old).read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("evolve."):
                    for a in node.names:
                        doors[module(old), a.asname or a.name] = (node.module, a.name)
    mods = {module(o): module(n) for o, n in chosen.items() if o.endswith(".py")}
    paths = dict(chosen)
    merged = {m for m in mods if mods[m].endswith("_door")}
    for path in list(files()):
        text = path.read_text("utf-8")
        new = rewrite(text, path, mods, doors, merged, paths)
        if new != text:
            path.write_text(new, "utf-8")
    for old in chosen:  # all out of the way first, since some new paths are old ones
        pathlib.Path(old).rename(f"{old}.moving")
    for old, new in chosen.items():
        pathlib.Path(new).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(f"{old}.moving").rename(new)
    subprocess.run(["git", "add", "-A", "evolve"], check=True)
    for folder in {p.parent for p in pathlib.Path("evolve").rglob("*.py")}:
        while str(folder) != "evolve":
            door = folder / "__init__.py"
            if not door.exists():
                door.write_text(f'"""{folder.name.capitalize()}."""\n')
                subprocess.run(["git", "add", str(door)], check=True)
            folder = folder.parent
    print(len(chosen), "files moved")


def rewrite(text, path, mods, doors, merged, paths):
    if path.suffix == ".py":
        text = split_imports(text, mods, doors, merged)

    stays = {module(str(p)) for p in KNOWN} - mods.keys()

    def dotted(match):
        name, rest = match.group(0), ""
        while name and name not in mods:
            if name in stays:  # a module that is not moved
                return match.group(0)
            name, _, last = name.rpartition(".")
            rest = f".{last}{rest}"
        return mods[name] + rest if name else match.group(0)

    text = re.sub(r"\bevolve(?:\.[A-Za-z_]\w*)+", dotted, text)
    for old, new in paths.items():
        if old in text:
            text = text.replace(f"{old}", new)
    return text


def split_imports(text, mods, doors, merged):
    """`from package import module` of a moved module, and names of a door that goes, become imports of their own."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    for node in sorted(
        (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and not n.level), key=lambda n: -n.lineno
    ):
        apart, rest = [], []
        for a in node.names:
            full = f"{node.module}.{a.name}"
            if full in mods:
                pkg, _, name = mods[full].rpartition(".")
                apart.append(
                    f"from {pkg} import {name}" + (f" as {a.asname or a.name}" if (a.asname or a.name) != name else "")
                )
            elif node.module in merged and (node.module, a.name) in doors:
                where, name = doors[node.module, a.name]
                apart.append(
                    f"from {mods.get(where, where)} import {name}"
                    + (f" as {a.asname or a.name}" if (a.asname or a.name) != name else "")
                )
            else:
                rest.append(a.name + (f" as {a.asname}" if a.asname else ""))
        if apart:
            pad = " " * node.col_offset
            out = [f"from {node.module} import {', '.join(rest)}"] if rest else []
            lines[node.lineno - 1 : node.end_lineno] = [pad + line + "\n" for line in out + apart]
    return "".join(lines)


def joins():
    rows, only = table("moves.tsv"), option("--only")
    every, groups = targets(rows), collections.defaultdict(list)
    for row in rows:
        if row["new"].endswith(".py") and every[row["old"]] != row["new"]:
            groups[row["new"]].append(every[row["old"]])
    mods, doors, merged = {}, {}, set()
    for new, parts in groups.items():
        if only and new not in only:
            continue
        if not pathlib.Path(new).exists():
            print("SKIP", new, "is not there yet: run moves first")
            continue
        group = [module(new), *map(module, parts)]
        needs = imported(new)
        for part in parts:
            if (
                part.endswith("_door.py") and pathlib.Path(part).exists()
            ):  # a door that goes: its names are imported from where they are
                for node in ast.walk(ast.parse(pathlib.Path(part).read_text())):
                    if isinstance(node, ast.ImportFrom) and node.module:
                        for a in node.names:
                            doors[module(part), a.asname or a.name] = (node.module, a.name)
                merged.add(module(part))
                subprocess.run(["git", "rm", "-qf", part], check=True)
            elif pathlib.Path(part).exists() and join(
                pathlib.Path(new), pathlib.Path(part), group, module(part) in needs
            ):
                needs |= imported(part)  # before it is removed
                mods[module(part)] = module(new)
                subprocess.run(["git", "rm", "-qf", part], check=True)
    for path in list(files()):
        text = path.read_text("utf-8")
        new = rewrite(text, path, mods, doors, merged, {})
        if new != text:
            path.write_text(new, "utf-8")
    print(len(mods), "files joined")


def imported(path):
    return {n.module for n in ast.walk(ast.parse(pathlib.Path(path).read_text())) if isinstance(n, ast.ImportFrom)}


def join(first, second, group, needs_second):
    """The definitions of both in one file, imports together; refuses where both define a name. Polish it by hand."""
    trees = [ast.parse(p.read_text()) for p in (first, second)]
    own = [
        {n.name for n in t.body if hasattr(n, "name")}
        | {
            x.id
            for n in t.body
            if isinstance(n, ast.Assign | ast.AnnAssign)
            for x in ([n.target] if isinstance(n, ast.AnnAssign) else n.targets)
            if isinstance(x, ast.Name)
        }
        for t in trees
    ]
    if clash := own[0] & own[1]:
        print("CLASH", first, second, sorted(clash))
        return False
    names = [module(first), module(second)]
    imports, typing, bodies, future = [], [], [], False
    for path, tree in zip((first, second), trees):
        lines = path.read_text().splitlines(keepends=True)
        body = (
            tree.body[1:]
            if tree.body and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant)
            else tree.body
        )
        text = []
        end = body[0].lineno - 1 if body else 0
        for node in body:
            top = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            if isinstance(node, ast.Import | ast.ImportFrom):
                if getattr(node, "module", "") == "__future__":
                    future = True
                elif getattr(node, "module", "") not in group:
                    imports.append("".join(lines[top - 1 : node.end_lineno]))
            elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse:
                typing += [
                    "".join(lines[n.lineno - 1 : n.end_lineno])
                    for n in node.body
                    if getattr(n, "module", "") not in group
                ]
            else:
                text.append("".join(lines[end : node.end_lineno]))
            end = node.end_lineno
        bodies.append("".join(text))
    if needs_second:
        bodies.reverse()
    lines = first.read_text().splitlines(keepends=True)
    doc = trees[0].body[0] if ast.get_docstring(trees[0]) else None
    head = "".join(lines[: doc.end_lineno]) if doc else ""
    out = head + ("\nfrom __future__ import annotations\n" if future else "") + "\n" + "".join(dict.fromkeys(imports))
    if typing:
        out += "\nif TYPE_CHECKING:\n" + "".join(dict.fromkeys(typing))
    first.write_text(out + "\n\n" + "\n\n".join(bodies))
    return True


def shadowed(tree, names):
    """Ids of the Name nodes that mean a parameter, a variable or a field of an inner scope and no definition of the module."""
    out = set()

    def visit(node, bound):
        inner = bound
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            a = node.args
            inner = (
                bound | {x.arg for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg] if x} | stored(node)
            )
        elif isinstance(node, ast.ClassDef):
            fields = {
                n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            } | {t.id for n in node.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
            for child in node.body:
                if isinstance(child, ast.AnnAssign | ast.Assign):
                    out.update(
                        id(t)
                        for t in ([child.target] if isinstance(child, ast.AnnAssign) else child.targets)
                        if isinstance(t, ast.Name) and t.id in fields & names
                    )
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            inner = bound | {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        if isinstance(node, ast.Name) and node.id in inner:
            out.add(id(node))
        outer = [*getattr(node, "decorator_list", [])]
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ):  # annotations and defaults are of the scope around
            outer += [x for x in ast.walk(node.args) if isinstance(x, ast.expr)] + (
                [node.returns] if getattr(node, "returns", None) else []
            )
        skip = set(map(id, outer))
        for child in outer:
            visit(child, bound)
        for child in ast.iter_child_nodes(node):
            if id(child) not in skip and not isinstance(child, ast.arguments):
                visit(child, inner)

    def stored(function):
        body = function.body if isinstance(function.body, list) else [function.body]
        found, ahead = set(), list(body)
        while ahead:
            n = ahead.pop()
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                found.add(n.id)
            if isinstance(n, ast.FunctionDef | ast.ClassDef):
                found.add(n.name)
            elif not isinstance(n, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                ahead += ast.iter_child_nodes(n)
        return found

    visit(tree, set())
    return out


def names():
    """Renames top-level classes and functions where they are defined, imported, or reached as module.name.

    Methods and attributes need types: each is listed for a person, with the files that write `.old`.
    """
    rows, only, kinds = table("names.tsv"), option("--only"), option("--kind")
    moved = {module(r["old"]): module(r["new"]) for r in table("moves.tsv") if r["old"].endswith(".py")}
    todo = {}
    for row in rows:
        if (only and not any(row["where"].startswith(o) for o in only)) or (kinds and row["kind"] not in kinds):
            continue
        if row["kind"] in ("class", "function"):
            for where in (row["where"], moved.get(row["where"], "")):
                if where and pathlib.Path(where.replace(".", "/") + ".py").exists():
                    todo[where, row["old"]] = row["new"]
                    break
        else:
            print("BY HAND", row["kind"], row["where"], row["old"], "->", row["new"])
    pythons = [p for p in files() if p.suffix == ".py"]
    doors = {}
    for p in pythons:
        text = p.read_text("utf-8")
        if str(p).startswith("evolve"):  # what a module imports can be imported from it, whether it is a door or not
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and node.module:
                    for a in node.names:
                        doors[module(str(p)), a.asname or a.name] = (node.module, a.name)
    for path in pythons:
        text = path.read_text("utf-8")
        tree, here = ast.parse(text), module(str(path))
        local = {old: new for (where, old), new in todo.items() if where == here}
        aliases = {
            a.asname or a.name: f"{n.module}.{a.name}"
            for n in ast.walk(tree)
            if isinstance(n, ast.ImportFrom)
            for a in n.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for a in node.names:
                    key, seen = (node.module, a.name), set()
                    while key in doors and key not in todo and key not in seen:
                        seen.add(key)
                        key = doors[key]
                    if key in todo:
                        local[a.name] = todo[key]
        if not local and not any(m in {w for w, _ in todo} for m in aliases.values()):
            continue
        spots, reached = [], {}
        hidden = shadowed(tree, set(local))
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in local and id(node) not in hidden:
                spots.append((node.lineno, node.col_offset, node.id))
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and (aliases.get(node.value.id), node.attr) in todo
            ):
                spots.append((node.end_lineno, node.end_col_offset - len(node.attr), node.attr))
                reached[node.attr] = todo[aliases[node.value.id], node.attr]
            elif isinstance(node, ast.alias) and node.name in local:
                spots.append((node.lineno, node.col_offset, node.name))
            elif isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in local and node in tree.body:
                line = text.splitlines()[node.lineno - 1]
                spots.append(
                    (
                        node.lineno,
                        len(
                            line[
                                : line.index(
                                    node.name, line.index("class " if isinstance(node, ast.ClassDef) else "def ")
                                )
                            ].encode()
                        ),
                        node.name,
                    )
                )
        lines = text.splitlines(keepends=True)
        for number, column, name in sorted(set(spots), reverse=True):
            raw = lines[number - 1].encode()
            if raw[column : column + len(name)].decode() == name:
                lines[number - 1] = (
                    raw[:column] + (local.get(name) or reached[name]).encode() + raw[column + len(name) :]
                ).decode()
        out = "".join(lines)
        for name in local:  # annotations as text, and references of docstrings
            out = re.sub(rf"(:(?:class|func):`[~\w.]*?)\b{name}`", rf"\g<1>{local[name]}`", out)
        if out != text:
            path.write_text(out, "utf-8")
    print(len(todo), "names")


if __name__ == "__main__":
    {"moves": moves, "joins": joins, "names": names}[sys.argv[1]]()
