"""Marks: what a bucket shows of its defect. Buckets with a mark in common show one defect."""

from __future__ import annotations

import re
from collections.abc import Callable

from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.frames import place
from murxpy.campaign.findings.keys import normalise
from murxpy.campaign.findings.shapes import Shape, shape_of
from murxpy.checks.registry import ANSWERING
from murxpy.errors import InputError
from murxpy.oracles.crash import DEATHS, SEVERITY
from murxpy.trace.finished import read_rows
from murxpy.trace.grammar import parse_trace

Read = Callable[[str], str | None]  # the text of a file under the campaign's folder

_THROWN = ("exception", "ill-formed", "new-exception")
_TELLING_WORDS = 3  # words of a message at least that tell which defect threw it

# The binding and the readers of scripts put these words before what the solver says.
_SPOKEN_BY = re.compile(r"\b(?:script|check|parse|parser) error: ")
_SORT = re.compile(
    r"\b(?:Int|Real|Bool|String|RegLan|RoundingMode|Float\d+|BitVec|FloatingPoint|Array|Set|Bag|Seq)\b"
)
_NAME = re.compile(r"(?<![\w.])_[A-Za-z]\w*(?:!\d+)?|\b[A-Za-z]+!\d+")


def abstract(message: str) -> str:
    """The message of an exception without what tells only of the run: the printed terms, numbers,
    names and sorts in it, and which reader passed it on.
    """
    text = _SPOKEN_BY.sub("", message.strip()[:2000])
    text = _SORT.sub("SORT", _NAME.sub("NAME", _without_terms(text)))
    return normalise(text)


def _without_terms(text: str) -> str:
    """The text with one word in the place of each group in parentheses. A group whose end was cut
    off goes to the end of the text.
    """
    kept: list[str] = []
    depth = 0
    for char in text:
        if char == "(":
            if not depth:
                kept.append("TERM")
            depth += 1
        elif char == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(char)
    return "".join(kept)


def marks(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The marks of a bucket. `read` gives the text of a file that the bucket names.

    The place at which a process died marks its defect, and so does the message of an exception.
    Everything else is marked by the shape of the smaller trace.
    """
    if bucket.kind in DEATHS:
        return _of_death(bucket, read)
    if bucket.kind in _THROWN:
        return _of_message(bucket)
    if bucket.kind in SEVERITY:
        return ()
    shape = smallest_shape(bucket, read)
    return () if shape is None else _of_shape(bucket, shape)


def _of_message(bucket: Bucket) -> tuple[str, ...]:
    said = abstract(bucket.message)
    if len(re.findall(r"[a-z]{2,}", said.partition(":")[2])) < _TELLING_WORDS:
        return ()
    return (f"{bucket.solver} {bucket.kind}: {said}",)


def _of_death(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The place of the death; and where calls that solve nothing lead there, the innermost function
    with these calls: what one call breaks may show at once, or in the call after it.
    """
    names = place(bucket.backtrace)
    if not names:
        return ()
    found = [f"{bucket.solver} dies in {' < '.join(names)}"]
    calls = [bucket.action, *_call_before(bucket, read)]
    if names[0] != "recursion":
        found += [
            f"{bucket.solver} dies in {names[0]} by {call}"
            for call in calls
            if call not in ANSWERING and call != "run-script"
        ]
    return tuple(found)


def _call_before(bucket: Bucket, read: Read) -> list[str]:
    """The action before the last one of the smaller trace; empty where there is no smaller trace."""
    text = _smaller(bucket, read)
    actions = [row.action for row in read_rows(text)] if text else []
    return actions[-2:-1]


def _smaller(bucket: Bucket, read: Read) -> str | None:
    files = [
        form.file for form in bucket.reproducers if form.form == "min.trace" and form.reproduces
    ]
    return read(files[0]) if files else None


def smallest_shape(bucket: Bucket, read: Read) -> Shape | None:
    """The shape of the smaller trace of a bucket; None where there is none, or none can be read."""
    text = _smaller(bucket, read)
    try:
        return None if text is None else shape_of(parse_trace(text, bucket.key))
    except InputError:
        return None


def _of_shape(bucket: Bucket, shape: Shape) -> tuple[str, ...]:
    """The whole shape, and what is telling in it. Where nothing is, the kind must be the same, too."""
    options = f"[{', '.join(shape.options)}]"
    kind = "" if shape.telling else f" {bucket.kind}"
    whole = f"{' & '.join(shape.formulas)} ; {' '.join(shape.calls)}"
    found = [f"{bucket.solver} is wrong{kind} on {options} {whole}"] if shape.formulas else []
    if shape.telling:
        found.append(f"{bucket.solver} {bucket.kind} of {' & '.join(shape.telling)} {options}")
    return tuple(found)
