"""What a package documents as internal, unsupported, experimental or for experts, of all that its
wrapper uses.

It prints what it finds and writes no table.

    python bench/documentation.py cvc5

Reads the docstrings of the kinds, functions, classes and methods that spellings and helpers name,
the descriptions of the options that runs set (of cvc5 from the help text in its library, since the
binding does not tell it), and lists the sentences with such words, each with the entry of the
wrapper's section `documented` that decides it. Exit code 1 where one is not decided.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from murxpy.data import load_wrapper
from murxpy.data.spellings import forms
from murxpy.oracles.documented import Documented
from murxpy.solvers.wrapper import SECTIONS

WORDS = re.compile(
    r"\binternal(ly)?\b|unsupported|not (yet )?supported|experimental|may not be created|\bexperts?\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z(`])|\n\s*\n|\.\. \w+::")
_KIND = re.compile(r"\bKind\.([A-Z0-9_]+)")
_METHOD = re.compile(r"\.([A-Za-z]\w*)\(")
_NAME = re.compile(r"\b[A-Za-z_]\w+")


@dataclass(frozen=True)
class Hit:
    """A sentence of the documentation of `name`, which is a `what` (kind, method, function, option)
    as templates write it.
    """

    what: str
    name: str
    sentence: str


def one_line(text: str) -> str:
    """The text with all white space as single blanks."""
    return " ".join(text.split())


def source(wrapper: dict[str, Any]) -> str:
    """All templates of the wrapper and the text of its helpers."""
    entries = [entry for section in SECTIONS for entry in (wrapper.get(section) or {}).values()]
    templates = [
        form if isinstance(form, str) else form["is"]
        for entry in entries
        for form in forms(entry).values()
    ]
    return "\n".join(
        [
            wrapper.get("conjunction") or "",
            *templates,
            *(text for _, text in wrapper["helpers_sources"]),
        ]
    )


def documentation(wrapper: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What the wrapper uses, and the text that the installed package has of it: (kind of thing, its
    name, text).
    """
    module, text = importlib.import_module(wrapper["module"]), source(wrapper)
    for name in wrapper["contract"]["calls"]["modules"]:  # helpers use these, too
        importlib.import_module(name)
    if hasattr(module, "Kind"):
        for name in sorted({*_KIND.findall(text)}):
            yield (
                "kind",
                f"Kind.{name}",
                str(getattr(getattr(module.Kind, name, None), "__doc__", "") or ""),
            )
    methods, names = {*_METHOD.findall(text)}, {*_NAME.findall(text)}
    for inside in _modules(module):
        for name, value in sorted(vars(inside).items()):
            if name in names and callable(value):
                yield "function", name, _doc(value)
            for method, function in (
                sorted(vars(value).items())
                if inspect.isclass(value) and _public(value, module)
                else ()
            ):
                if method in methods and callable(function):
                    yield "method", f".{method}(", _doc(function)
    for option in sorted({*_options(wrapper)}):
        yield "option", option, _option_text(wrapper["solver"], module, option)


def hits(texts: Iterable[tuple[str, str, str]]) -> list[Hit]:
    """The sentences of what `documentation` gives with words that limit what is promised."""
    found: dict[Hit, None] = {}
    for what, name, text in texts:
        for sentence in _SENTENCE.split(text):
            if WORDS.search(sentence):
                found[Hit(what, name, one_line(sentence))] = None
    return list(found)


def decider(wrapper: dict[str, Any]) -> Callable[[Hit], int | None]:
    """What gives the place of the entry of the wrapper that decides a hit; None where none does."""
    of_all_sorts = [
        {key: value for key, value in entry.items() if key != "sorts"}
        for entry in wrapper["documented"]
    ]
    known = Documented({**wrapper, "documented": of_all_sorts})
    return lambda hit: (
        known.option(hit.name, []) if hit.what == "option" else known.template(hit.name)
    )


def _modules(module: Any) -> list[Any]:
    """The solver's modules that its package loads."""
    return [
        value
        for name, value in sorted(sys.modules.items())
        if name.partition(".")[0] == module.__name__ and value is not None
    ]


def _public(value: Any, module: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith(module.__name__)


def _doc(value: Any) -> str:
    return str(inspect.getdoc(value) or "")


def _options(wrapper: dict[str, Any]) -> Iterator[str]:
    yield from (option["name"] for option in wrapper["options"])
    yield from (name for pairs in wrapper["required-options"].values() for name, _ in pairs)


def _option_text(solver: str, module: Any, name: str) -> str:
    if solver == "z3":
        return str(module.Solver().param_descrs().get_documentation(name))
    category = str(module.Solver(module.TermManager()).getOptionInfo(name)["category"].name).lower()
    found = re.search(
        rf"\n  --{re.escape(name)}(=\S+)?[ \n].*?(?=\n  -|\n\n|\0)",
        help_text(module.__name__),
        re.DOTALL,
    )
    return f"{one_line(found[0]) if found else ''} (category: {category})"


@cache
def help_text(module: str) -> str:
    """The part of a package's compiled library that is the help on options, as text; empty where it
    has none.
    """
    folder = Path(str(importlib.import_module(module).__file__)).parent
    files = sorted(folder.parent.glob(f"{module}.libs/lib{module}-*.so*"))
    text = files[0].read_bytes().decode("latin-1") if files else ""
    starts = [found.start() for found in re.finditer(r"\n  --[a-z]", text)]
    return text[starts[0] : starts[-1] + 1000] if starts else ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("solver", help="name of a wrapper whose package is installed")
    wrapper = load_wrapper(parser.parse_args().solver)
    decide, undecided = decider(wrapper), 0
    for hit in hits(documentation(wrapper)):
        place = decide(hit)
        entry = {} if place is None else wrapper["documented"][place]
        undecided += place is None
        verdict = (
            "UNDECIDED"
            if place is None
            else f"counts: {entry['counts']}"
            if entry.get("counts")
            else "documented"
        )
        print(f"{hit.what} {hit.name}: {hit.sentence}\n    {verdict}")
    print(f"{undecided} not decided")
    return int(undecided > 0)


if __name__ == "__main__":
    sys.exit(main())
