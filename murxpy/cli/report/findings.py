"""One sentence about a finding that says what the solver does wrong, and how bad that is."""

from __future__ import annotations

import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.cli.report.misuses import SUCH, in_words, others_show, said, was_tried, with_others
from murxpy.cli.report.tables import NUMBER, Table, kinds
from murxpy.cli.report.text import amount, cut, form_word, one_line, replay_command
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket, is_unsound, worst_first
from murxpy.findings.defects import (
    CAUSE,
    IN_DEPTH,
    MISFIT,
    OF_VALUES,
    TRIFLES,
    Defect,
    Grouping,
    Read,
    breaking_call,
    callable_of,
    finds_broken,
    grouping,
    is_release,
    is_silent,
    place_of,
    same,
    telling_option,
    unused,
)
from murxpy.findings.frames import RECURSION, functions, inside, place
from murxpy.findings.kinds.calls import MISFITS, misfit_of, misuse_message
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.known import MARK
from murxpy.findings.ranges import kept_range
from murxpy.findings.scripted import scripted
from murxpy.findings.shapes import shipped
from murxpy.foreign import escaped
from murxpy.fuzzers.setups import named_rules
from murxpy.logic.catalogue import STANDARD, Operator
from murxpy.logic.walks import subterms
from murxpy.machine.contract.calls import STRAY
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.outcomes import CONTRACT, EXCEPTION, INCOMPLETENESS, WRONG_ANSWER
from murxpy.machine.trace.finished import (
    HEADER,
    OWN_CONTEXT,
    Call,
    Row,
    header_value,
    last_row,
    options,
    read_needs,
    read_rows,
)
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.witnesses.unknowns import rule_of
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.records.snapshot import BucketView
from murxpy.reduction.pipeline import SHOWS_NO
from murxpy.semantics.refuting import NAME
from murxpy.smtlib.reading.scripts import read_script
from murxpy.solvers.exceptions import INVALID_MODEL
from murxpy.translate.programs.calls import SYMBOLS

_TRIAGED = ("refutation-unsoundness", "solution-unsoundness", "wrong-model")

# the rule that made a script from one that was decided, in the message of an unknown answer
_BY_RULE = re.compile(r"by (\S+) of a script that was decided")
_AS_MADE = "by how the check was made"
_NO_VALUE = re.compile(r"^the value of a constant is no value, but [^\s:]{1,200}: '(.*)'$")
_BLOCKED = "a model that was blocked is given again"
_VALUES = "values that were blocked are given again"  # what else is in the model may differ
BROKEN = "broken memory"  # begins what is said of a death that some earlier call may have caused
_CONSTRUCTED = "because the test was constructed so that this is the right answer"
_WORD = re.compile(r"[a-z]+(?=[\s,:;]|$)")
_ENDS = {"SIGSEGV": "a segmentation fault", "SIGABRT": "an abort"}


def ended_by(signal: str) -> str:
    """How a signal ends a process, in words."""
    return _ENDS.get(signal, signal)


def sentence(bucket: Bucket, small: str | None = None, whole: str | None = None) -> str:
    """Return one sentence that tells a developer of the solver what is wrong. `small` is the smallest
    trace: in which call a death shows first is chance, and the smallest trace ends with the call that it
    needs. Of a misuse that was not made smaller yet, the `whole` trace tells the operands.
    """
    return _in_their_words(_sentence(bucket, small, whole), bucket.solver)


def _in_their_words(text: str, solver: str) -> str:
    """A sentence with what scripts call operators, sorts and calls in the place of our names."""
    operators, sorts = shipped().operators, shipped().sorts

    def named(found: re.Match[str]) -> str:
        name = found[0]
        if name in operators:  # one that scripts write in many ways has the words of our name
            words = name.removeprefix("OP_").replace("_", " ").lower()
            return operators[name].smtlib if operators[name].smtlib.strip("-_") else words
        return name.removeprefix("SORT_") if name in sorts else name

    text = re.sub(r"(?<![:\w])(?:OP|SORT)_[A-Z0-9_]+\b", named, text)
    return re.sub(rf"(?<![\w-]){re.escape(solver)}-(?=[a-z])", "", text)


def _sentence(bucket: Bucket, small: str | None, whole: str | None) -> str:
    message = one_line(misuse_message(first_line(bucket.plain_message)))
    kind = kind_of(bucket.kind)
    if kind.dies:
        return _death(bucket, message, small, whole)
    if bucket.kind == EXCEPTION:
        return f"{_where(bucket, small)} raises {message.rstrip('.')}"
    if bucket.kind == DISAGREEMENT:
        verdict = str(bucket.triage.get("verdict", ""))
        words = verdict.replace("-", " ")
        known = f": {words}" if verdict in _TRIAGED and words not in message else ""
        return f"{message}{known}"
    if bucket.kind == INVALID_MODEL and is_unsound(bucket) and NAME not in message:
        message = f"{NAME}: {message}"
    if kind.ends == "no end":
        last = small or whole if bucket.action == "misuse" else None
        return f"{_where(bucket, last)} does not return: {message}"
    if bucket.kind == WRONG_ANSWER and small and (rule := _rule_of(small)):
        message = message.replace(_AS_MADE, f"by {rule} of a script that was decided")
    if bucket.kind in (INCOMPLETENESS, WRONG_ANSWER):
        message = _BY_RULE.sub(_rule_in_words, message)
    message = message.replace(_AS_MADE, _CONSTRUCTED).replace(_BLOCKED, _VALUES)
    message = _NO_VALUE.sub(r"the value of a constant is a term that is no value: \1", message)
    message = _ONE_SIDED.sub(_sides_in_words, message)
    message = _TAKEN_FOR.sub(_taken_in_words, message)
    message = _MADE_OF.sub(_made_in_words, message)
    message = re.sub(r"^(a finalizer raises \w{1,60}); ", r"\1: ", message)
    message = re.sub(
        r"^the symbol is another; (.+) reads back as ", r"the symbol \1 becomes ", message
    )
    message = _ASTRAY.sub(
        r"gives an object whose \1 is another context than that of its operands", message
    )
    message = _PARAMETER.sub(r"takes \2 for \1", message)
    message = _INDEX.sub(r"an operator such as \1: ", message)  # which others do, was not tried
    if bucket.kind == CONTRACT:
        message = _MISFIT.sub(
            lambda found: f"{found[1]}: {MISFITS.get(found[2], found[2])}", message
        )
        if _OF_CALLABLE.match(message):
            where = _where(bucket, small or whole)
            if message.startswith("takes"):  # the message says what it takes
                where = re.split(r"\(| \(" if " for " in message else r" \(", where, maxsplit=1)[0]
            return f"{where} {message}"
        if place_of(bucket) and bucket.action == "misuse" and (small or whole):
            form = ", in this form," if others_show(small or "") else ""  # a message tells operands
            return f"{_where(bucket, small or whole)} raises{form} {message}"
        if bucket.action == "misuse" and _OF_OPERANDS.match(message):
            where = _where(bucket, small or whole).partition(" (")[0]
            if message.startswith("the symbol"):  # whatever is named so
                where = re.sub(r" of SORT_\w{1,60}(?: \d{1,9}){0,3}$", "", where)
            return f"{where}: {message}"
        message = with_others(message, small or "")
    if not _WORD.match(message):  # a name, such as z3 or mk-term, stays as it is
        return message or bucket.kind
    return message[:1].upper() + message[1:]


_OF_CALLABLE = re.compile(r"(?:gives|takes) ")  # a message whose subject is the callable
_OF_OPERANDS = re.compile(
    r"(?:an? \w{1,20}(?: with a NUL)? is taken for another|the \w{1,60} is another|the symbol .{1,62} becomes"
    r"|another sort than|a finalizer raises)\b"
)
_TAKEN_FOR = re.compile(
    r"^an? \w{1,20}(?: with a NUL)? is taken for another(?P<all> by [^;]{1,100})?; (?P<given>.{1,62}?) for (?P<taken>.{1,62})$"
)
_ASTRAY = re.compile(rf"^gives an object of {STRAY}: its (\w{{1,40}})$")
_PARAMETER = re.compile(
    r"^another sort than was asked for; a parameter of \w{1,40} gives (\S{1,40}) instead of (\S{1,60})$"
)
_MADE_OF = re.compile(
    r"^the literal of (SORT_\w{1,40}) made from [\w ]{1,60} is another; (.{1,62}?) reads back as \((?:(-?\d+), )?(-?\d+),?\)$"
)


def _taken_in_words(found: re.Match[str]) -> str:
    """That a binding takes one operand for another one."""
    more = ", as other calls do" if found["all"] else ""
    return f"takes {found['given']} for {found['taken']}{more}"


def _made_in_words(found: re.Match[str]) -> str:
    """That a literal has another value than it was made from. Before its value may stand its width or order; a
    real number is read as a numerator and a denominator.
    """
    sort, given, before, value = found.groups()
    fraction = sort == "SORT_REAL" and before is not None
    whole = before if value == "1" else f"{before}/{value}"
    return f"a literal of {sort} made from {given} has the value {whole if fraction else value}"


_INDEX = re.compile(r"^(OP_\w{1,60} takes an index that it cannot have); [\w.]{1,60}: ")
_MISFIT = re.compile(r"(does not fit its declaration(?: is taken)?) \(([\w-]{1,40})\)$")
_ONE_SIDED = re.compile(
    r"^(\w{1,60}) of an? (\w{1,60}) and an? (\w{1,60}): ([an]) \. ([an]) works, [an] \. [an] does not$"
)


def _sides_in_words(found: re.Match[str]) -> str:
    """An operator that works with its operands in one order only."""
    symbol = SYMBOLS.get(found[1], found[1])
    fails, works = (
        f"{one} {symbol} {other}" for one, other in (found.group(5, 4), found.group(4, 5))
    )
    return f"'{fails}' is refused for an object a of {found[2]} and n of {found[3]}, although '{works}' works"


def _rule_of(small: str) -> str:
    """The rule that makes the script of the smallest trace from one that was decided; empty where there
    is none.
    """
    with suppress(InputError):
        script = scripted(parse_trace(small, ""))
        return rule_of(script.text) if script is not None else ""
    return ""


def _rule_in_words(found: re.Match[str]) -> str:
    """What a rule of implication says, in the place of its name. A rule that is not shipped keeps its
    name.
    """
    book, _, name = found[1].partition(":")
    said = f"the rule {found[1]}"
    with suppress(InputError):
        rule = next((one for one in named_rules((name,)) if one["book"] == book), None)
        if rule is not None:
            means = "is equivalent to" if rule.get("equivalent") else "implies"
            said = f"the rule that {rule['strong']} {means} {rule['weak']} ({found[1]})"
    return f"because {said} makes the script from one that was decided"


def _death(bucket: Bucket, message: str, small: str | None, whole: str | None) -> str:
    """A death with the call and the function in which it happened, as far as these tell anything: broken
    memory is noticed anywhere.
    """
    freed = is_release(bucket)
    row = last_row(small or whole or "")
    after = "" if row is None else _AFTER.get((row.results or [[""]])[-1][0], "")
    behind = freed or bool(after and row is not None and row.action == "misuse")
    broken = breaking_call(small, bucket.backtrace, behind) if small else None
    where = _where(bucket, small or whole)
    about_context = row is not None and row.words.split()[:1] == [str(CONTEXT)]
    own = not about_context and OWN_CONTEXT in read_needs(header_value(small or "", HEADER))
    context = " with objects of a context of its own" if own else ""
    where += "" if broken is not None else context
    how = ended_by(bucket.signal)
    ends = f"ends the process{f' with {how}' if how else ''}"
    if broken is not None:  # the last call is only where that shows
        last = "the release of an object" if behind else where
        if row is not None and row.action not in _DROPS and not behind:
            last = "another call"  # which of them notices it, is chance
        where = f"{in_words(broken, small or '')}{context} and then {last}"
    elif freed and not finds_broken(bucket):
        where = f"the release of an object {'after' if after else 'during or after'} {where}"
    elif freed:
        when = "after" if after else "during or after"
        return (
            f"{BROKEN} {ends} when an object is released {when} {where}: what broke it came before"
        )
    elif finds_broken(bucket):
        return (
            f"{BROKEN} {ends} during or after {where}: that call or an earlier one broke the heap"
        )
    else:
        if row is not None and after and row.action == "misuse":  # which goes on behind its own row
            where = f"{where} {after}, and what follows"
        where += ("" if own else _made_by(row, small or "")) + _behind(small or "")
    if row is not None and row.action == "misuse" and _is_history(small or ""):
        where += ", for example,"  # in which of its runs nothing else was tried
    sentence = f"{where} {ends}"
    if finds_broken(bucket):
        return sentence if freed else f"{sentence}: the heap is broken"
    names = [name for name in place(bucket.backtrace) if not _NAMELESS.match(name)]
    if names and others_show(small or ""):  # in which function the others do is not known
        sentence += ", in this form"
    if names[:1] == [RECURSION]:
        return f"{sentence}, a stack overflow in a recursion through {_most(bucket.backtrace, names[1:])}"
    if names:
        sentence += f" in {_short(names[0])}"
    return f"{sentence}: {message}" if message and message != bucket.signal else sentence


def _is_history(trace: str) -> bool:
    """Whether a trace has several runs."""
    return sum(row.action == "new" for row in read_rows(trace)) > 1


def _made_by(row: Row | None, small: str) -> str:
    """The call that made the term or the value whose method the last row calls: most others have no such
    method, or are not broken. Empty for an object that its class makes.
    """
    function, at = [*(row.words.split() if row is not None else ()), "", ""][:2]
    if row is None or row.action != "misuse" or "." not in function or at[:1] != "x":
        return ""
    made = [(one, result) for one in read_rows(small) for result in one.results]
    makers = [(one, result[-1]) for one, result in made if result[:2] == ["return", at]]
    if not makers or makers[-1][0].action != "misuse" or not OF_VALUES.fullmatch(makers[-1][1]):
        return ""
    # what else makes such an object was not tried
    return f" of what calls such as {makers[-1][0].words.split()[0]} give"


def _behind(small: str) -> str:
    """The calls without which the last one of the smallest trace is harmless, although it uses nothing that
    they give; empty where there are none.
    """
    earlier = unused(list(read_rows(small)))
    words = [word for one in earlier if (word := in_words(one, small))]
    words = list(dict.fromkeys(words))
    if not words:
        return ""
    last = last_row(small)
    tried = was_tried(small) or last is None or last.action != "misuse"
    if words[-1].startswith(SUCH) or not words[-1].endswith(")") or not tried:
        return " after another call"  # it may only move other objects in memory
    *others, nearest = words
    if len(others) > 1 or any(not one.endswith(")") for one in others):
        return f" after {nearest} and the calls before it"
    return f" after {' and '.join([*others, nearest])}"


_DROPS = ("delete", "del", "gc")  # actions that free what others broke
# What a call does that has a result, by the word of its row.
_AFTER = {"return": "returns", "raised": "raises"}


def _most(backtrace: str, recurring: Sequence[str]) -> str:
    """The function of a recursion that comes most often in a stack, which gdb may have cut."""
    counts = Counter(functions(backtrace))
    most = max(recurring, key=lambda name: counts[name]) if recurring else ""
    return f"{_short(most)}{' and others' if len(set(recurring)) > 1 else ''}"


# A frame that tells no place: an address, or a function in a library of C or C++.
_NAMELESS = re.compile(r"0x[0-9a-f]+$|__\w+$|std::")


def _where(bucket: Bucket, small: str | None = None) -> str:
    """The call in which a finding shows: the last one of the smallest trace, where there is one. One place
    in the solver may be reached by many calls.
    """
    row = last_row(small) if small else None
    if row is not None and row.action == "misuse":
        words = in_words(row, small or "")
        if words:
            return words
    call = Call(bucket.action, bucket.operator) if row is None else row.call
    action = said(call.action, bucket.solver)
    misfit = misfit_of(f"{call.action}@{call.spelling or bucket.spelling}")
    if misfit:
        return f"{action} ({misfit})"
    if row is not None and row.action == "run-script":
        return _script_in_words(row, small or "")
    of = " of " if action == call.action else " with "
    return of.join(filter(None, (action, call.operator))) or "it"


def _script_in_words(row: Row, small: str) -> str:
    """The last command of a script, at which the smallest script ends, and the operators that it has."""
    commands = _COMMAND.findall(_script(row.action, row.words))
    names = operators_of(small)[:_OPERATORS]
    about = f" with {', '.join(names)}" if names else ""
    return f"{commands[-1] if commands else 'a command'} in a script{about}"


_COMMAND = re.compile(r"^\(([a-z][\w-]{0,60})", re.M)
_OPERATORS = 3  # operators of a script that a sentence names


def _short(function: str) -> str:
    """A function of the solver without its parameters and the parameters of its templates."""
    name = function.split("(anonymous namespace)::")[-1]
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name.partition("(")[0].strip().rpartition(" ")[2] or function


# ----------------------------------------------------------------------
# The findings of an output folder, one bucket for each defect: for people, as JSON, and as a
# file of known bugs.


_INLINE = 24  # columns that must be left on the line of a bucket for its message
# The fields of a bucket in JSON that stand before its trace.
_FIELDS = ("key", "kind", "tier", "severity", "count", "solver", "version", "confirmed", "status")
STATUS_STYLES = {"new": "bold red", "again": "yellow", "known": "dim"}


def bucket_view(bucket: Bucket, version: str, out: str, same: str) -> BucketView:
    """A stored bucket with whole paths. `same` is an older bucket of the same defect, or empty."""
    kept = bucket.smallest()
    # PurePath for each file took a tenth of the time of a report of 5,000 buckets.
    before = os.path.join(PurePath(out), "") if PurePath(out).parts else ""
    forms = tuple(
        replace(form, file=f"{before}{form.file}" if form.file else "")
        for form in bucket.reproducers
    )
    return BucketView(
        bucket.key,
        bucket.kind,
        bucket.tier,
        bucket.severity,
        bucket.solver,
        version,
        bucket.message,
        None,
        bucket.known,
        bucket.state == "confirmed",
        bucket.count,
        kept.seed if kept else 0,
        kept.lines if kept else 0,
        bucket.first,
        f"{before}{kept.file}" if kept else "",
        same,
        forms,
        bucket.triage,
        kept_range(Path(out, "findings", bucket.key)),
        bucket.against,
    )


def print_findings(console: Console, rows: Sequence[BucketView]) -> None:
    """Print the buckets for people: for each a line of figures, the key, and the command that shows
    the finding again. On a terminal messages are cut to its width; keys and commands are never cut.
    """
    limit = console.width if console.is_terminal else None
    for line in _finding_lines(rows, limit) if rows else [Text("no findings")]:
        console.print(line, soft_wrap=True)


def _finding_lines(rows: Sequence[BucketView], width: int | None) -> Iterator[Text]:
    columns = {"  count": NUMBER, **kinds(["status", "kind", "tier   ", "solver"], ["lines"])}
    table = Table(columns)
    for row in rows:
        status = Text(row.status, STATUS_STYLES.get(row.status, ""))
        table.add(row.count, status, row.kind, row.tier, _solver(row), row.lines or "-")
    head, *texts = table.lines()
    yield head.append("  message", "cyan")
    for text, row in zip(texts, rows, strict=True):
        message = one_line(("" if row.confirmed else "(not confirmed) ") + first_line(row.message))
        yield from _with_message(text.append("  "), message, width)
        yield Text(f"         {row.key}", "bold" if row.status == "new" else "")
        if row.range:
            yield Text(f"         releases that show it: {row.range}", "dim")
        if row.trace:
            yield Text(f"         {replay_command(row.trace)}", "green")
        if row.reproducers:
            forms = ", ".join(f"{form.form} {form_word(form)}" for form in row.reproducers)
            yield Text(f"         shows it again: {forms}", "dim")


def _with_message(text: Text, message: str, width: int | None) -> Iterator[Text]:
    if width is None:
        yield text.append(message)
    elif width - text.cell_len >= _INLINE:
        yield text.append_text(cut(Text(message), width - text.cell_len))
    else:
        yield text
        yield Text("         ").append_text(cut(Text(message), max(_INLINE, width - 9)))


def _solver(row: BucketView) -> str:
    return f"{row.solver} {row.version}"


def first_line(message: str) -> str:
    """The first line of `message` that is not blank; empty if all are."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")


def bucket_data(row: BucketView) -> dict[str, Any]:
    """A bucket as plain data. Without a kept trace its command is null."""
    return {
        **{name: getattr(row, name) for name in _FIELDS},
        "trace": row.trace or None,
        "lines": row.lines,
        "message": row.message,
        "reproducers": [asdict(form) for form in row.reproducers],
        "triage": row.triage,
        "same": row.same,
        "range": row.range,
        "against": row.against,
        "replay": replay_command(row.trace) if row.trace else None,
    }


def findings_csv(rows: Sequence[BucketView]) -> str:
    """The buckets as lines of values with commas between them, below a line of names."""
    columns = (*_FIELDS, "lines", "same", "releases", "program", "script", "message")
    return Table(kinds(columns), [*map(_csv_row, rows)]).to_csv()


def _csv_row(row: BucketView) -> list[object]:
    forms = {form.form: form_word(form) for form in row.reproducers}
    return [
        *(getattr(row, name) for name in _FIELDS),
        *(row.lines, row.same, row.range),
        *(forms.get(name, "untried") for name in ("python", "smt2")),
        row.message,
    ]


def findings_known(rows: Sequence[BucketView], marks: Mapping[str, str]) -> str:
    """The buckets as a file for `--known`, below a comment each that says what it is: the marks of
    their defects, where they have some, and else their keys. A key alone would hide other defects.
    """
    lines = [
        "# Known bugs, for `murxpy fuzz --known FILE`: a bucket key, a pattern of keys, or a mark of a defect a line; "
        "delete what is to count."
    ]
    own: dict[str, list[str]] = {}
    for mark, key in marks.items():
        own.setdefault(key, []).append(f"{MARK}{key} {mark}")
    marked = set(own)
    for row in rows:
        message = one_line(first_line(row.message), 160)
        lines.append(f"# {_solver(row)}, {amount(row.count, 'time')}: {message}".rstrip(": "))
        lines += own.get(row.key, [row.key] if row.key not in marked and not row.same else [])
    return "".join(f"{escaped(line)}\n" for line in lines)


# ----------------------------------------------------------------------
# How near a defect is to what users of the solver do: a wrong answer with default options and
# standard operators hits users first.


_SET = re.compile(r"\(set-option :(\S+) ([^()]*)\)")
_CORE = "BOOL"  # the theory whose operators nearly each trace has
_MOST_NAMED = 3  # options or operators that are named
_MOST_CALLABLES = 12  # callables with one cause that are named
LAST = 1000  # from this rank on, developers would close it: see TRIFLES


@dataclass(frozen=True, slots=True)
class Use:
    """What the smallest trace of a defect needs of the solver: `options` that differ from the default,
    beside those that let the solver do more, and `operators` and calls that SMT-LIB does not have.
    """

    options: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()

    @property
    def distance(self) -> int:
        """A number that is smaller the nearer the defect is to what most users do."""
        return len(self.options) + len(self.operators)

    def words(self) -> str:
        """The distance in words."""
        options = f"with {_named(self.options)}" if self.options else "default options"
        operators = f"with {_named(self.operators)}" if self.operators else "standard operators"
        return f"{options}, {operators}"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def use_of(text: str) -> Use:
    """What a smallest trace needs of its solver."""
    catalogue = shipped()
    kinds = _kinds(text)
    pairs = list(options(text))
    for row in read_rows(text):
        if row.action == "run-script":
            with suppress(InputError):
                pairs += _SET.findall(_script(row.action, row.words))
    operators = [catalogue.operators[kind] for kind in kinds if kind in catalogue.operators]
    standard = catalogue.dialect(STANDARD).same
    own = [op.smtlib for op in operators if op.extension and op.kind not in standard]
    solver = header_value(text, "solver").partition(" ")[0]
    own_calls = [row.action for row in read_rows(text) if row.action.startswith(f"{solver}-")]
    calls = [said(action, solver) for action in own_calls]
    return Use(
        tuple(f"{name}={value}" for name, value in pairs if telling_option(name)),
        tuple(dict.fromkeys([*own, *calls])),
    )


def operators_of(text: str) -> list[str]:
    """What scripts call the operators of a trace that tell most of its defect: predicates, in whose place
    another one often does, behind others, then those that SMT-LIB does not have before others, and none
    of the core.
    """
    catalogue = shipped()
    kinds = _kinds(text)
    return _telling(catalogue.operators[kind] for kind in kinds if kind in catalogue.operators)


def operators_in(script: str) -> list[str]:
    """The same of a script, which may be written with other operators than its trace."""
    rows = [row for row in script.split("\n") if not row.startswith(";")]
    applied = _APPLIED.findall("\n".join(rows))
    known = {op.smtlib: op for op in shipped().operators.values()}
    return _telling(known[name] for name in applied if name in known)


_APPLIED = re.compile(r"\((?:_ )?([^\s()]+)")


def _telling(operators: Iterable[Operator]) -> list[str]:
    telling = [op for op in operators if op.theory != _CORE and op.smtlib.strip("-_")]
    telling.sort(key=lambda op: (op.signature.result.kind == "SORT_BOOL", not op.extension))
    return list(dict.fromkeys(op.smtlib for op in telling))


def _kinds(text: str) -> dict[str, None]:
    """The operators of a trace, also those of the scripts in it. To a solver whose sets are arrays, a set by
    comprehension is a lambda.
    """
    kinds: dict[str, None] = {}
    for row in read_rows(text):
        if row.action == "mk-term":
            kinds[row.words.split(" ", 1)[0]] = None
        elif row.action == "run-script":
            with suppress(InputError):
                script = read_script(_script(row.action, row.words), "", shipped())
                kinds |= dict.fromkeys(term.op for term in subterms(script.assertions()))
    solver = header_value(text, "solver").partition(" ")[0]
    if shipped().dialect(solver).sets_are_arrays:
        kinds = {re.sub("^OP_SET_COMPREHENSION$", "OP_ARRAY_LAMBDA", kind): None for kind in kinds}
    return kinds


def _script(action: str, words: str) -> str:
    """The script that a line of a trace runs."""
    quoted = parse_trace(f"{action} {words}\n", "").lines[0].args[-1]
    return str(getattr(quoted, "text", ""))


# ----------------------------------------------------------------------
# The defects of an output folder: for people, as JSON, and as a table with commas.


_INDENT = "    "
_APART = "Not shown again: up to five replays of the trace, of its run and of the runs before it"
_LEAST = 40  # columns into which a sentence is folded on the narrowest screen
_COLUMNS = (
    *("defect", "kind", "tier", "solver", "versions", "status", "findings", "buckets", "evidence"),
    *("lines", "smallest", "releases", "program", "script", "first", "wrong"),
)


@dataclass(frozen=True, slots=True)
class DefectView:
    """A defect as a list shows it: `shown` is the bucket that shows it best, and `buckets` are all.

    `wrong` says what is wrong. `smallest` are the lines of its smallest trace, 0 where it was not
    made smaller. `marks` are what the buckets have in common. `apart` says that replays did not show it
    again; `frames` are then the innermost functions in which the process died.
    """

    shown: BucketView
    buckets: tuple[BucketView, ...]
    versions: tuple[str, ...]
    wrong: str
    rank: int
    evidence: str
    smallest: int
    marks: tuple[str, ...]
    use: Use | None = None  # of its smallest trace, where there is one
    apart: bool = False
    frames: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of findings in all buckets."""
        return sum(bucket.count for bucket in self.buckets)

    @property
    def first(self) -> float:
        """When the first finding was made, in seconds since the epoch."""
        return min(bucket.first for bucket in self.buckets)

    @property
    def status(self) -> str:
        """`known` where the user knows any of the buckets, else `open`."""
        return "known" if any(bucket.known for bucket in self.buckets) else self.shown.status

    @property
    def range(self) -> str:
        """The releases that show it, as far as they were looked for."""
        return next((bucket.range for bucket in self.buckets if bucket.range), "")

    def form(self, name: str) -> str:
        """Whether any bucket has a program (`python`) or script (`smt2`) that shows it: `yes`, `no`,
        `none` or `untried`.
        """
        words = [
            form_word(form) for b in self.buckets for form in b.reproducers if form.form == name
        ]
        return next((word for word in ("yes", "no", "none") if word in words), "untried")


def defect_views(
    buckets: Sequence[Bucket],
    versions: Mapping[str, str],
    out: str,
    group: Grouping | None = None,
) -> list[DefectView]:
    """The defects of the stored buckets of the campaign in folder `out`, the worst first. Who reads the
    folder often gives the grouping, which remembers what it read of buckets that stay as they are.
    """
    group = group or grouping(Path(out))
    found = group.defects(buckets)
    by_key = {bucket.key: bucket for bucket in buckets}
    older = same(found)
    views = [_view(defect, by_key, versions, older, out, group.read) for defect in found]
    views.sort(key=lambda view: (view.rank, _distance(view), view.first, view.shown.key))
    return sorted(views, key=lambda view: view.apart)


def _shared(defect: Defect, buckets: Sequence[Bucket]) -> str:
    """The cause that several callables share, and these; empty where there is no such cause."""
    causes = [mark.partition(CAUSE)[2] for mark in defect.marks if CAUSE in mark]
    deep = [mark.partition(IN_DEPTH)[2] for mark in defect.marks if IN_DEPTH in mark]
    if deep:
        inner = re.sub(r"\(.*", "", deep[0].partition(" < ")[0])
        causes = [f"an operand that no call checks ends the process in {inner}"]
    names = list(dict.fromkeys(filter(None, map(callable_of, buckets))))
    names = list(dict.fromkeys(said(name) for name in names))
    if not causes or len(names) < 2 or causes[0].startswith(MISFIT):
        return ""  # the sentence of one tells all of it
    more = f" and {len(names) - _MOST_CALLABLES} more" if len(names) > _MOST_CALLABLES else ""
    listed = _in_their_words(", ".join(names[:_MOST_CALLABLES]), buckets[0].solver)
    return f"{causes[0][:1].upper()}{causes[0][1:]}: {listed}{more}"


def _rank(bucket: Bucket, defect: Defect) -> int:
    """A key to sort by: 0 for the worst. Of broken promises those come first that give another result
    without a word, and exceptions of the wrong class for a wrong operand come last of all.
    """
    last = [at for at, cause in enumerate(TRIFLES) if any(m.endswith(cause) for m in defect.marks)]
    if last:
        return LAST + last[-1]
    return 2 * worst_first(bucket) + (bucket.kind == CONTRACT and not is_silent(bucket))


def _distance(view: DefectView) -> int:
    """How far a defect is from what users do; one without a smallest trace is taken for near."""
    return view.use.distance if view.use is not None else 0


def _view(
    defect: Defect,
    by_key: Mapping[str, Bucket],
    versions: Mapping[str, str],
    older: Mapping[str, str],
    out: str,
    read: Read,
) -> DefectView:
    buckets = [by_key[key] for key in defect.buckets]
    best = min(buckets, key=partial(_showing, read=read)) if len(buckets) > 1 else buckets[0]
    views = {
        bucket.key: bucket_view(
            bucket, versions.get(bucket.key, ""), out, older.get(bucket.key, "")
        )
        for bucket in buckets
    }
    named = dict.fromkeys(versions.get(key, "") for key in defect.buckets)
    small = smallest_trace(best, read)
    return DefectView(
        views[best.key],
        tuple(views.values()),
        tuple(filter(None, named)),
        _shared(defect, buckets) or sentence(best, small, None if small else misused(best, read)),
        _rank(best, defect),
        evidence(best),
        sum(1 for _ in read_rows(small)) if small else 0,
        defect.marks,
        use_of(small) if small else None,
        _apart(best),
        inside(best.backtrace)[:_MOST_NAMED] if _apart(best) else (),
    )


def _apart(bucket: Bucket) -> bool:
    """Whether the finding is listed apart: replays did not show it again, or only behind earlier runs that
    could not be made fewer, or not any more when it was to be made smaller.
    """
    if bucket.state == "unconfirmed":
        return True
    forms = {form.form: form for form in bucket.reproducers}
    tried = [forms[form] for form in ("min.trace", "min.history") if form in forms]
    failed = [form for form in tried if not form.reproduces]
    if any(form.reproduces for form in bucket.reproducers if form.form in _TOLD):
        return False
    return any(evidence(bucket) == _BEHIND or SHOWS_NO in form.note for form in failed)


_TOLD = ("python", "smt2")  # forms that need no murxpy


def _showing(bucket: Bucket, read: Read) -> tuple[object, ...]:
    """A key by which the bucket comes first that shows the defect best."""
    kept = bucket.smallest()
    alone = kept is not None and bool(kept.confirmed)
    told = any(form.reproduces for form in bucket.reproducers if form.form in _TOLD)
    small = smallest_trace(bucket, read)
    size = small.count("\n") if small else kept.lines if kept is not None else 0
    shows = bucket.known or bucket.state == "confirmed"
    rank = worst_first(bucket)
    return (not shows, bucket.tier == DOCUMENTED, rank, not told, not alone, size)


_BEHIND = "it needs earlier runs"


def evidence(bucket: Bucket) -> str:
    """Say how the finding was confirmed."""
    if bucket.state == "known":
        return "known"
    if bucket.state != "confirmed":
        return "not confirmed"
    kept = bucket.smallest()
    if kept is not None and kept.confirmed:
        return "its trace shows it again"
    forms = {form.form for form in bucket.reproducers if form.reproduces}
    return _BEHIND if "history" in forms else "its run shows it again"


def smallest_trace(bucket: Bucket, read: Read) -> str | None:
    """The text of the smallest trace; None where there is none."""
    smaller = ("min.trace", "min.history")
    files = [f.file for f in bucket.reproducers if f.form in smaller and f.reproduces]
    return read(files[0]) if files else None


def misused(bucket: Bucket, read: Read) -> str | None:
    """The text of the trace of a misuse; None of any other finding, and where no trace is kept."""
    kept = bucket.smallest()
    return read(kept.file) if bucket.action == "misuse" and kept is not None else None


def of_session(views: Sequence[DefectView], buckets: Sequence[BucketView]) -> list[DefectView]:
    """The defects that a session of a campaign found, from all defects of its folder. `buckets` are
    those in which the session had findings; only these findings are counted.
    """
    found = {bucket.key: bucket for bucket in buckets}
    views_found = []
    for view in views:
        own = tuple(found[bucket.key] for bucket in view.buckets if bucket.key in found)
        if own:
            # the oldest comes first; one that is the same as a bucket elsewhere is known from there
            new = own[0].key == view.buckets[0].key and bool(own[0].new)
            keys = {bucket.key for bucket in view.buckets}
            elsewhere = any(bucket.same and bucket.same not in keys for bucket in own)
            known = elsewhere or view.shown.known
            own = tuple(replace(bucket, known=bucket.known or elsewhere) for bucket in own)
            shown = replace(view.shown, new=new, known=known)
            views_found.append(replace(view, shown=shown, buckets=own))
    return views_found


def unread(buckets: Sequence[BucketView]) -> list[DefectView]:
    """The buckets as defects of their own, for a campaign whose folder cannot be read."""
    return [
        DefectView(
            bucket,
            (bucket,),
            (bucket.version,),
            one_line(first_line(bucket.message)) or bucket.kind,
            0,
            "its run shows it again" if bucket.confirmed else "not confirmed",
            0,
            (),
        )
        for bucket in buckets
    ]


def print_defects(console: Console, views: Sequence[DefectView]) -> None:
    """Print the defects for people, each as a short paragraph. Sentences are folded to the width of
    the screen; keys and commands are never cut.
    """
    width = max(_LEAST, console.width)
    shown = True
    for view in views:
        if view.apart and shown:
            console.print(Text(_APART, "bold"), soft_wrap=True)
        shown = not view.apart
        for line in (*_head(view, width), *_rest(view, width)):
            console.print(line, soft_wrap=True)


def print_worst(console: Console, views: Sequence[DefectView], most: int) -> int:
    """Print the first of the defects, each without its evidence and commands, in about `most` lines
    of the screen; at least one of them. Returns how many were printed.
    """
    width = max(_LEAST, console.width)
    used = 0
    for number, view in enumerate(views):
        lines = [*_head(view, width), Text(_INDENT + view.shown.key, "bold")]
        used += sum(-(-line.cell_len // width) for line in lines)
        if number and used > most:
            return number
        for line in lines:
            console.print(line, soft_wrap=True)
    return len(views)


def _head(view: DefectView, width: int) -> Iterator[Text]:
    """The head of the list: the number of findings of each kind, and what is wrong."""
    shown = view.shown
    versions = ", ".join(view.versions) or shown.version
    fresh = view.status in ("open", "new")
    head = Text(shown.kind, STATUS_STYLES["new"] if fresh else "dim")
    head.append(f"  {shown.solver} {versions}  {amount(view.count, 'finding')}", "")
    head.append(f" in {amount(len(view.buckets), 'bucket')}" if len(view.buckets) > 1 else "")
    notes = [view.status if view.status != "open" else "", f"tier {shown.tier}"]
    notes += ["not confirmed"] if view.evidence == "not confirmed" else []
    head.append(f"  {', '.join(filter(None, notes))}", "dim")
    yield head
    if view.frames:
        yield Text(f"{_INDENT}in {', '.join(map(_short, view.frames))}")
    for line in textwrap.wrap(view.wrong, width - len(_INDENT), break_on_hyphens=False):
        yield Text(_INDENT + line)


def _rest(view: DefectView, width: int) -> Iterator[Text]:
    """The evidence, the key and the command that shows it again."""
    for line in textwrap.wrap(_facts(view), width - len(_INDENT)):
        yield Text(_INDENT + line, "dim")
    yield Text(_INDENT + view.shown.key, "bold")
    if view.shown.trace:
        yield Text(_INDENT + replay_command(view.shown.trace), "green")


def _facts(view: DefectView) -> str:
    lines = f"{view.shown.lines} lines" if view.shown.lines else "no trace is kept"
    lines += f", the smallest trace {view.smallest}" if view.smallest else ""
    releases = f"releases {view.range}; " if view.range else ""
    forms = f"program {view.form('python')}, script {view.form('smt2')}"
    use = f"; {view.use.words()}" if view.use is not None else ""
    return f"{view.evidence}; {releases}{lines}; {forms}{use}"


def defect_data(view: DefectView) -> dict[str, Any]:
    """A defect as plain data: the fields of the bucket that shows it best, and all its buckets."""
    return {
        **bucket_data(view.shown),
        "count": view.count,
        "status": view.status,
        "same": "",
        "range": view.range,
        "wrong": view.wrong,
        "evidence": view.evidence,
        "smallest": view.smallest,
        "options": None if view.use is None else list(view.use.options),
        "operators": None if view.use is None else list(view.use.operators),
        "versions": list(view.versions),
        "marks": list(view.marks),
        "apart": view.apart,
        "buckets": [bucket_data(bucket) for bucket in view.buckets],
    }


def defects_csv(views: Sequence[DefectView]) -> str:
    """The defects as lines of values with commas between them, below a line of names."""
    return Table(kinds(_COLUMNS), [*map(_row, views)]).to_csv()


def _row(view: DefectView) -> list[object]:
    shown = view.shown
    first = datetime.fromtimestamp(view.first, UTC).isoformat(timespec="seconds")
    return [
        *(shown.key, shown.kind, shown.tier, shown.solver, " ".join(view.versions), view.status),
        *(view.count, len(view.buckets), view.evidence, shown.lines, view.smallest or ""),
        *(view.range, view.form("python"), view.form("smt2"), first, view.wrong),
    ]
