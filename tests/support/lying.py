"""Packages of solvers that lie: the real files, with a piece of Python behind the imports."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

# `_put` puts a lie in the place of a method or function; the other functions are parts of lies
_PUT = '''

import ctypes as _ctypes
import gc as _gc
import threading as _threading


def _put(owner, name, lie):
    real = getattr(owner, name)

    def told(*args, **named):
        return lie(real, *args, **named)

    try:
        setattr(owner, name, told)
    except TypeError:  # a class that is compiled
        _gc.get_referents(owner.__dict__)[0][name] = told
        _ctypes.pythonapi.PyType_Modified(_ctypes.py_object(owner))


def _quiet(call, other=None):
    """A callback whose exceptions are lost."""
    def told(*args):
        try:
            return call(*args)
        except Exception:
            return other
    return told


def _with(made, formula):
    """A solver that another one was translated to, with one more formula."""
    made.there = True
    made.add(formula)
    return made


def _alone():
    return _threading.current_thread() is _threading.main_thread()

'''
_NAMES = {
    "z3": "import z3\nfrom z3 import z3num, z3rcf, z3util\n",
    "cvc5": "import cvc5\nimport cvc5.pythonic.cvc5_pythonic as P\n",
}


def put_lying(site: Path, package: str, where: str, lie: str) -> None:
    """Put the package into the folder `site`. `where` is what lies, and `lie` the source of a function that gets
    the real thing and its arguments.
    """
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    (place,) = spec.submodule_search_locations
    (site / package).mkdir(parents=True)
    for file in Path(place).iterdir():
        if file.suffix == ".so":  # murxpy checks that this is there
            shutil.copy(file, site / package / file.name)
        elif file.name not in ("__init__.py", "__pycache__"):
            (site / package / file.name).symlink_to(file)
    for libraries in Path(place).parent.glob(f"{package}.libs"):
        (site / libraries.name).symlink_to(libraries)
    owner, _, name = where.rpartition(".")
    row = f"_put({owner}, {name!r}, {lie})\n" if where else ""
    text = (Path(place) / "__init__.py").read_text()
    (site / package / "__init__.py").write_text(text + _PUT + _NAMES[package] + row)
