"""Regular languages as terms."""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.regex import Regex
from murxpy.smtlib.tables import Tables

MOST = 60  # parts of a language that becomes a term

_OPERATORS = {
    regex.CONCAT: "OP_RE_CONCAT",
    regex.UNION: "OP_RE_UNION",
    regex.INTER: "OP_RE_INTER",
    regex.NOT: "OP_RE_COMP",
}


def language_term(tables: Tables, language: Regex) -> Term | None:
    """A term for a regular language; None if it would be large."""
    return None if _size(language) > MOST else _term(tables, language)


def _size(language: Regex) -> int:
    size, stack = 0, [language]
    while stack and size <= MOST:
        node = stack.pop()
        size += 1 + (len(node.data) if node.kind in (regex.CHARS, regex.WORD) else 0)
        stack.extend(node.parts)
    return size


def _term(tables: Tables, language: Regex) -> Term:
    def word(text: str) -> Term:
        return tables.value(tables.string, text)

    kind = language.kind
    if language is regex.NONE or language is regex.ALL or language is regex.ALLCHAR:
        names = {regex.NONE: "NONE", regex.ALL: "ALL", regex.ALLCHAR: "ALLCHAR"}
        return tables.apply(f"OP_RE_{names[language]}")
    if kind == regex.CHARS:
        ends = [(word(chr(low)), word(chr(high))) for low, high in language.data]
        found = [tables.apply("OP_RE_RANGE", low, high) for low, high in ends]
        return found[0] if len(found) == 1 else tables.apply("OP_RE_UNION", *found)
    if kind == regex.WORD or language is regex.EPSILON:
        return tables.apply("OP_STR_TO_RE", word(str(language.data or "")))
    parts = [_term(tables, part) for part in language.parts]
    if kind != regex.LOOP:
        return tables.apply(_OPERATORS[kind], *parts)
    low, high = language.data
    if high is not None:
        return tables.apply("OP_RE_LOOP", *parts, indices=(low, high))
    star = tables.apply("OP_RE_STAR", *parts)
    if not low:
        return star
    return tables.apply("OP_RE_CONCAT", tables.apply("OP_RE_POW", *parts, indices=(low,)), star)
