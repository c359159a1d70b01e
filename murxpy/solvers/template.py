"""Templates of spellings: Python expressions with placeholders, which are translated once into
source text.

The reproducer prints the same template with names in place of the placeholders, so it is the same
call as in the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from murxpy.errors import InputError

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_RULES: list[tuple[re.Pattern[str], str]] = [
    # Python's int() need not take longer numbers
    (re.compile(rule.replace(r"\d+", r"\d{1,9}")), code)
    for rule, code in [
        (r"(-?\d+)", r"a[\1]"),
        (r"\*", r"*a"),
        (r"(\d+)\*", r"*a[\1:]"),
        (r"i(\d+)", r"i[\1]"),
        (r"i\*", r"*i"),
        (r"i(\d+)\*", r"*i[\1:]"),
        (r"n(\d+)", r"k.number(\1)"),
        (r"sort", r"k.sort"),
        (r"sort\.(\d+)", r"k.sort_param(\1)"),
        (r"sort\.\*", r"*k.sort_params()"),
        (r"sort(\d+)", r"k.arg_sort(\1)"),
        (r"sort(\d+)\.(\d+)", r"k.arg_sort_param(\1, \2)"),
        (r"p(\d+)", r"k.result.params[\1]"),
        (r"(\d+)\.p(\d+)", r"k.terms[\1].sort.params[\2]"),
        (r"vars", r"*k.variables(a)"),
        (r"body", r"a[k.bound]"),
        (r"pattern", r"a[k.bound + 1]"),
        (r"ctx", r"k.ctx"),
        (r"solver", r"k.solver"),
        (r"name", r"k.name"),
        (r"decls", r"k.value"),
        (r"v", r"k.value"),
        (r"v:([a-z0-9]+)", r"k.form('\1')"),
        (r"bad", r"k.bad"),
        (r"bad\*", r"*k.bad"),
    ]
]


@dataclass(frozen=True)
class Template:
    """A parsed template: its texts and placeholders in turn, its source, and how many arguments it
    names.
    """

    text: str
    parts: tuple[tuple[str, bool], ...]  # pairs of a text and whether it is a placeholder
    source: str
    arity: int | None  # how many arguments it takes; None if `{*}` takes any number

    def fill(self, name: Callable[[str], str]) -> str:
        """Return the template with each placeholder replaced by what `name` returns for it."""
        return "".join(name(text) if placeholder else text for text, placeholder in self.parts)


def parse_template(text: str, where: str) -> Template:
    """Read a template. The InputError that is raised for a wrong one names `where` and the unknown
    placeholder.
    """
    parts: list[tuple[str, bool]] = []
    at = 0
    for found in _PLACEHOLDER.finditer(text):
        parts.append((text[at : found.start()], False))
        at = found.end()
        token = found.group(0)
        if token in ("{{", "}}"):
            parts.append((token[0], False))
        elif found.group(1) is None:
            raise InputError(
                f"{where}: a lone '{token}' in '{text}' (write '{token}{token}' for a brace)"
            )
        else:
            parts.append((found.group(1), True))
    parts.append((text[at:], False))
    source = "".join(
        _code(part, where, text) if placeholder else part for part, placeholder in parts
    )
    return Template(
        text, tuple(p for p in parts if p[0] or p[1]), source, _arity([p for p, ph in parts if ph])
    )


def _code(placeholder: str, where: str, text: str) -> str:
    code = _known(placeholder)
    if code is None:
        raise InputError(f"{where}: unknown placeholder '{{{placeholder}}}' in '{text}'")
    return code


@cache
def _known(placeholder: str) -> str | None:
    """Return the code of a placeholder, or None if there is no such placeholder. Results are
    remembered, since thousands of templates have few different placeholders.
    """
    for rule, code in _RULES:
        found = rule.fullmatch(placeholder)
        if found:
            return found.expand(code)
    return None


def _arity(placeholders: list[str]) -> int | None:
    highest = -1
    for placeholder in placeholders:
        if placeholder in ("*", "vars", "body", "-1") or re.fullmatch(r"\d+\*", placeholder):
            return None
        found = re.fullmatch(r"n?(\d{1,9})(\.p\d{1,9})?", placeholder)
        if found:
            highest = max(highest, int(found.group(1)))
    return highest + 1
