"""Backward rules of strings and regular languages."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.ranges.abstract import (
    ANY,
    LONGEST,
    Except,
    Few,
    Having,
    Range,
    any_of,
    around,
    as_interval,
    before,
    between,
    integers,
    language_of,
    letters,
    mirrored,
    of_length,
    parts,
    words,
)
from murxpy.semantics.ranges.backward import Question, backward, without
from murxpy.semantics.values import CannotSay

_DIGITS = regex.loop(regex.interval("0", "9"), 1, None)

without(
    "each letter of the result depends on one letter, in ways that no expression of the language says",
    "OP_STR_TOLOWER",
    "OP_STR_TOUPPER",
)
without("few bit-vectors have digits in the range", "OP_STR_FROM_UBV", "OP_STR_FROM_SBV")
without(
    "the shortest match at the first place decides, and it moves with every letter",
    "OP_STR_REPLACE_RE",
    "OP_STR_REPLACE_RE_ALL",
    "OP_STR_INDEXOF_RE",
)
without("the operator has no arguments", "OP_RE_NONE", "OP_RE_ALL", "OP_RE_ALLCHAR")


def _text_rule(*kinds: str) -> Callable[[Callable[[Question], Regex | Range | None]], None]:
    """Enter a rule that may return a language, and may find that an expression is too large."""

    def enter(rule: Callable[[Question], Regex | Range | None]) -> None:
        @backward(*kinds)
        def guarded(question: Question) -> Range | None:
            try:
                found = rule(question)
            except CannotSay:
                return None
            return words(found) if isinstance(found, Regex) else found

    return enter


def _truly(language: Regex | None, truth: bool) -> Regex | None:
    """Return a language, or all other words."""
    return language if truth or language is None else regex.complement(language)


@_text_rule("OP_STR_CONCAT")
def _concat(question: Question) -> Regex | None:
    language = language_of(question.wanted)
    if language is None:
        return None
    values = question.values
    return between(language, "".join(values[: question.at]), "".join(values[question.at + 1 :]))


@_text_rule("OP_STR_LEN")
def _len(question: Question) -> Regex | None:
    if isinstance(question.wanted, Except):
        lengths = question.wanted.values
        return regex.complement(regex.union(of_length(n, n) for n in lengths if n >= 0))
    span = as_interval(question.wanted)
    return None if span is None else of_length(span.low, span.high)


@_text_rule("OP_STR_IN_RE")
def _in_re(question: Question) -> Regex | Range | None:
    text, language = question.values
    if question.at == 0:
        return _truly(language, question.given)
    return Having(text, question.given)


@backward("OP_RE_UNION", "OP_RE_INTER", "OP_RE_DIFF", "OP_RE_COMP")
def _boolean(question: Question) -> Range | None:
    """Whether a word is in the result depends on whether it is in each argument."""
    wanted = question.wanted
    if not isinstance(wanted, Having):
        return None
    fine = [
        inside
        for inside, language in ((True, regex.word(wanted.word)), (False, regex.NONE))
        if question.keeps(language)
    ]
    if len(fine) == 2:
        return ANY
    return Having(wanted.word, fine[0]) if fine else None


@backward("OP_RE_OPT", "OP_RE_STAR")
def _optional(question: Question) -> Range | None:
    """The empty word is in the result, whatever the argument is."""
    wanted = question.wanted
    if not isinstance(wanted, Having):
        return None
    if not wanted.word:
        return ANY
    return Having(wanted.word, wanted.truth) if question.kind == "OP_RE_OPT" else _more(question)


@backward("OP_RE_PLUS")
def _more(question: Question) -> Range | None:
    """A word of the argument is a word of its repetitions."""
    wanted = question.wanted
    if isinstance(wanted, Having) and wanted.truth:
        return Having(wanted.word, True)
    return None


@backward("OP_RE_CONCAT", "OP_RE_POW", "OP_RE_LOOP")
def _joined(question: Question) -> Range | None:
    """With the empty word in all languages, it is in the result, and else it is not."""
    wanted = question.wanted
    if not isinstance(wanted, Having) or wanted.word:
        return None
    fine = [
        inside
        for inside, language in ((True, regex.EPSILON), (False, regex.NONE))
        if question.keeps(language)
    ]
    if len(fine) == 2:
        return ANY
    return Having("", fine[0]) if fine else None


@_text_rule("OP_STR_TO_RE")
def _to_re(question: Question) -> Range | None:
    wanted = question.wanted
    if not isinstance(wanted, Having):
        return None
    return Few((wanted.word,)) if wanted.truth else Except((wanted.word,))


@_text_rule("OP_RE_RANGE")
def _range(question: Question) -> Regex | None:
    """A word of another length than one is in no range of characters."""
    wanted, other = question.wanted, question.others[0]
    if not isinstance(wanted, Having):
        return None
    if len(wanted.word) != 1 or len(other) != 1:
        return regex.ALL
    code, end = ord(wanted.word), ord(other)
    fine = letters(0, min(code, end)) if question.at == 0 else letters(max(code, end), None)
    within = code <= end if question.at == 0 else code >= end
    return _truly(fine if within else regex.NONE, wanted.truth)


@_text_rule("OP_STR_LT", "OP_STR_LE")
def _order(question: Question) -> Regex | None:
    if len(question.values) != 2 or len(question.others[0]) > LONGEST:
        return None
    (other,) = question.others
    equal = question.kind == "OP_STR_LE"
    if question.at == 0:
        return _truly(before(other, equal), question.given)
    return _truly(regex.complement(before(other, not equal)), question.given)


@_text_rule("OP_STR_AT", "OP_STR_SUBSTR")
def _part(question: Question) -> Regex | Range | None:
    """The characters at the place must be in the language; all others are free."""
    text, start = question.values[:2]
    length = question.values[2] if question.kind == "OP_STR_SUBSTR" else 1
    if question.at == 0:
        language = language_of(question.wanted)
        if start < 0 or length <= 0:
            return ANY
        return None if language is None else _with_part(language, start, length)
    outside = not 0 <= start < len(text)
    if question.at == 1:
        if not outside:
            return None
        return integers(None, -1) if start < 0 else integers(len(text), None)
    if outside:
        return ANY
    if length <= 0:
        return integers(None, 0)
    return integers(len(text) - start, None) if start + length >= len(text) else None


def _with_part(language: Regex, start: int, length: int) -> Regex:
    skipped = of_length(start, start)
    full = regex.concat([skipped, regex.inter([language, of_length(length, length)]), regex.ALL])
    short = regex.inter([language, of_length(1, length - 1)])
    ways = [full, regex.concat([skipped, short])]
    if language.nullable:
        ways.append(of_length(0, start))
    return regex.union(ways)


@_text_rule("OP_STR_PREFIXOF", "OP_STR_SUFFIXOF")
def _affix(question: Question) -> Regex | None:
    part, text = question.values
    first = question.kind == "OP_STR_PREFIXOF"
    if question.at == 1:
        sides = [regex.word(part), regex.ALL] if first else [regex.ALL, regex.word(part)]
        return _truly(regex.concat(sides), question.given)
    if len(text) > LONGEST:
        return None
    cuts = range(len(text) + 1)
    fine = any_of(text[:cut] if first else text[cut:] for cut in cuts)
    return _truly(fine, question.given)


@_text_rule("OP_STR_CONTAINS")
def _contains(question: Question) -> Regex | None:
    text, part = question.values
    fine = around(regex.word(part)) if question.at == 0 else parts(text)
    return _truly(fine, question.given)


@_text_rule("OP_STR_INDEXOF")
def _index_of(question: Question) -> Regex | Range | None:
    text, part, start = question.values
    found = question.given
    if question.at == 0:
        if start < 0:
            return ANY
        if found < 0:
            return regex.complement(
                regex.concat([of_length(start, start), around(regex.word(part))])
            )
        return regex.concat([regex.word(text[: found + len(part)]), regex.ALL])
    if question.at == 1:
        return None
    if found < 0:
        return integers(start, None) if start >= 0 else integers(None, -1)
    # from behind the last occurrence before it, its own place is the first one
    return integers(text.rfind(part, 0, found + len(part) - 1) + 1 if part else found, found)


@_text_rule("OP_STR_LAST_INDEXOF")
def _last_index_of(question: Question) -> Regex | None:
    text, part = question.values
    if question.given >= 0:
        return None
    fine = around(regex.word(part)) if question.at == 0 else parts(text)
    return _truly(fine, False)


@_text_rule("OP_STR_REPLACE", "OP_STR_REPLACE_ALL")
def _replace(question: Question) -> Regex | Range | None:
    """Without an occurrence, the text stays."""
    text, part, _ = question.values
    language = language_of(question.wanted)
    first = question.kind == "OP_STR_REPLACE"
    if language is None:
        return None
    if part not in text or (not part and not first):
        if question.at == 2:
            return ANY
        if question.at == 1:
            return _truly(parts(text), False)
        return regex.inter([language, regex.complement(around(regex.word(part)))]) if part else None
    if question.at == 2 and first:
        at = text.find(part)
        return between(language, text[:at], text[at + len(part) :])
    return None


@_text_rule("OP_STR_IS_DIGIT")
def _is_digit(question: Question) -> Regex | None:
    return _truly(regex.interval("0", "9"), question.given)


@_text_rule("OP_STR_TO_CODE")
def _to_code(question: Question) -> Regex | None:
    span = as_interval(question.wanted)
    if span is None:
        return None
    fine = letters(0 if span.low is None else span.low, span.high)
    return regex.union([fine, regex.complement(regex.ALLCHAR)]) if span.holds(-1) else fine


@_text_rule("OP_STR_FROM_CODE")
def _from_code(question: Question) -> Range | None:
    if question.given:
        return None
    return integers(None, -1) if question.present < 0 else integers(MAX_CODE_POINT + 1, None)


@_text_rule("OP_STR_TO_INT")
def _to_int(question: Question) -> Regex | None:
    """A number may have any number of zeros in front of it."""
    if question.given < 0:
        return regex.complement(_DIGITS)
    span = as_interval(question.wanted)
    if span is not None and span.high is None and (span.low is None or span.low <= 0):
        return _DIGITS
    if len(question.present) > LONGEST:
        return None
    return regex.concat([regex.loop(regex.word("0"), 0, None), regex.word(str(question.given))])


@_text_rule("OP_STR_FROM_INT")
def _from_int(question: Question) -> Range | None:
    return None if question.given else integers(None, -1)


@_text_rule("OP_STR_REV")
def _rev(question: Question) -> Regex | None:
    language = language_of(question.wanted)
    return None if language is None else mirrored(language)


@_text_rule("OP_STR_UPDATE")
def _update(question: Question) -> Range | None:
    """Outside of the text nothing is written."""
    text, position, _ = question.values
    if 0 <= position < len(text):
        return None
    if question.at == 2:
        return ANY
    if question.at == 0:
        return question.wanted if position < 0 else None
    return integers(None, -1) if position < 0 else integers(len(text), None)
