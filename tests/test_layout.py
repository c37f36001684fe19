"""The layout that DESIGN promises: imports go down, the public face is exact, the start is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ragtrial as rt

SOURCE = Path(rt.__file__).parent

FLOORS = [
    {"cli"},
    {"report"},
    {"replications"},
    {"trial"},
    {"retrievers", "merging", "prefixes", "datasets"},
    {"chunkers", "questions"},
    {"documents", "embedders", "llm", "measures", "statistics", "specs"},
    {"text", "storage", "servers"},
    {"require"},
    {"errors"},
]
"""From the top down; a package imports from floors below its own, and data sets also stand on questions."""

FLOOR_OF = {name: number for number, names in enumerate(FLOORS) for name in names}


def imports(path: Path) -> list[tuple[str, int]]:
    """Return the ragtrial packages that a file imports, with the line, wherever in the file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            names = [node.module or ""]
            if node.module == "ragtrial":
                names = [f"ragtrial.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found += [(name.split(".")[1], node.lineno) for name in names if name.startswith("ragtrial.")]
    return found


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down(path: Path) -> None:
    own = package_of(path)
    for package, line in imports(path):
        if package in (own, "__version__"):
            continue
        assert FLOOR_OF[package] > FLOOR_OF[own], f"{path}:{line}: {own} must not import {package}"


def test_every_package_has_a_floor() -> None:
    packages = {package_of(path) for path in MODULES}
    assert packages <= set(FLOOR_OF)


def test_public_names_are_sorted_complete_and_real() -> None:
    assert rt.__all__ == ["__version__", *sorted(rt.__all__[1:])]
    for name in rt.__all__:
        assert getattr(rt, name) is not None
    assert dir(rt) == sorted(rt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = rt.Nothing


def test_version_is_the_package_version() -> None:
    from importlib.metadata import version

    assert rt.__version__ == version("ragtrial")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_all_is_declared_sorted_and_real(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    declared = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    ]
    if path.name == "__init__.py" and not declared:
        assert all(isinstance(node, ast.Expr) for node in tree.body), f"{path}: names without __all__"
        return
    assert len(declared) == 1, f"{path}: no __all__"
    # Constants, then classes, then functions, each sorted: the order that the linter keeps.
    names = declared[0]
    assert len(set(names)) == len(names)
    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    defined |= {
        name.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    defined |= {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(names) <= defined


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_start_is_light(arguments: list[str]) -> None:
    heavy = ["numpy", "pydantic", "onnxruntime", "matplotlib", "polars", "tiktoken", "regex", "rich", "yaml", "scipy"]
    code = (
        "import sys\n"
        "from ragtrial.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit as stop:\n    assert not stop.code, stop.code\n"
        f"loaded = [name for name in {heavy!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ragtrial" in done.stdout


def test_import_is_light() -> None:
    code = "import sys, ragtrial; assert 'numpy' not in sys.modules; assert 'click' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_modules_stay_small() -> None:
    long = {str(path.relative_to(SOURCE)): lines for path in MODULES if (lines := path.read_text().count("\n")) > 400}
    assert not long
