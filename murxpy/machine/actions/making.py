"""Checks of the objects that the binding makes: they are what the line asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.errors import nearest
from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort, well_founded
from murxpy.logic.terms import VARIABLE
from murxpy.logic.typing import IndexOutOfRange, takes_more
from murxpy.machine import inspect, make
from murxpy.machine.actions.base import Action, any_entry, register
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.generate import leaves, sorts, terms
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import NoSpelling, Refused
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.machine.trace import murxla
from murxpy.machine.trace.grammar import MURXLA_SOLVERS
from murxpy.machine.trace.murxla import Application
from murxpy.machine.trace.reading import Reading, read_datatypes, read_sort


@register("check-sort")
class CheckSort(Action):
    """`check-sort s`."""

    scripted = False

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        if not run.db.sorts or run.wrapper.set("self-checks", "check-sort") is None:
            return False
        entries = [e for found in run.db.sort_entries.values() for e in found if e.obj is not None]
        if not entries:
            return False
        inspect.check_sort(run, gen.stream.choose(entries), run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.sort(0)
        r.end(1)
        _self_check(r, inspect.check_sort, entry)


@register("check-term", "check-eq")
class CheckTerm(Action):
    """`check-term t`, `check-eq t`."""

    scripted = False
    literal = False  # it is of literals only

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("self-checks", self.name) is None:
            return False
        for _ in range(4):
            entry = any_entry(gen)
            if entry is not None and (entry.term.literal or not self.literal):
                _CALLS[self.name](gen.run, entry, gen.run.line_seed())
                return True
        return False

    def read(self, r: Reading) -> None:
        entry = r.term(0)
        r.end(1)
        if self.literal and not entry.term.literal:
            raise r.error(f"expected a literal, but {entry} is not one")
        _self_check(r, _CALLS[self.name], entry)


@register("check-value")
class CheckValue(CheckTerm):
    """`check-value t`."""

    literal = True


_CALLS: dict[str, Callable[..., None]] = {
    "check-term": inspect.check_term,
    "check-value": inspect.check_value,
    "check-eq": inspect.check_eq,
}


def _self_check(r: Reading, call: Callable[..., None], entry: Entry | SortEntry) -> None:
    action = r.line.action
    r.require_spelling(r.run.wrapper.set("self-checks", action) is not None, action)
    r.require(entry.obj is not None, f"the binding has no object of {entry}")
    call(r.run, entry, r.seed, r.spelling("self-checks", action))


def check_newest(gen: Generator) -> None:
    """Check the newest term of a run that is making terms."""
    newest = next(reversed(gen.run.db.terms.values()), None)
    if newest is None or newest.term.sort.kind in ("SORT_CASE", "SORT_FUN"):
        return
    if newest.term.literal and gen.run.wrapper.set("self-checks", "check-value"):
        inspect.check_value(gen.run, newest, gen.run.line_seed())
    elif gen.run.wrapper.set("self-checks", "check-term"):
        inspect.check_term(gen.run, newest, gen.run.line_seed())


# ----------------------------------------------------------------------
# Actions that make sorts and terms.


@register("mk-sort")
class MakeSort(Action):
    """`mk-sort KIND parameters`."""

    makes = True
    damped = False
    establishes = ("has-sort",)

    def draw(self, gen: Generator) -> bool:
        return sorts.make_random_sort(gen)

    def read(self, r: Reading) -> None:
        kind = r.text(0, "a sort kind")
        if kind not in r.run.catalogue.sorts:
            raise r.error(f"unknown sort kind '{kind}'{nearest(kind, r.run.catalogue.sorts)}")
        if kind == "SORT_DT":
            _mk_datatypes(r)
            return
        sort, params = read_sort(r, kind)
        r.values(*sort.sorts())
        r.made_sorts(
            [make.make_sort(r.run, sort, params, r.seed, r.spelling("sorts", kind), r.new_id("s"))]
        )


@register("instantiate-sort")
class InstantiateSort(Action):
    """`instantiate-sort sP s..`."""

    makes = True

    def draw(self, gen: Generator) -> bool:
        return sorts.instantiate_random(gen)

    def read(self, r: Reading) -> None:
        parametric = r.sort(0, parametric=True)
        params = [r.sort(k) for k in range(1, len(r.line.args))]
        if len(parametric.sort.datatype.params) != len(params):
            raise r.error(
                f"{parametric.sort} has {len(parametric.sort.datatype.params)} parameters, found {len(params)}"
            )
        spelling = r.spelling("sorts", "instantiate-sort")
        r.made_sorts(
            [make.instantiate_sort(r.run, parametric, params, r.seed, spelling, r.new_id("s"))]
        )


@register("mk-const")
class MakeConstant(Action):
    """`mk-const s "symbol"`."""

    makes = True
    reads_made = True
    damped = False
    establishes = ("has-sort", "has-input", "has-term", "has-bool", "has-root")

    def draw(self, gen: Generator) -> bool:
        return leaves.constant_action(gen)

    def read(self, r: Reading) -> None:
        sort, name = r.sort(0), r.text(1, "a symbol")
        r.end(2)
        spelling = r.spelling("constants", *_kind_keys(sort.sort))
        r.made_term(make.make_constant(r.run, sort, name, r.seed, spelling, r.new_id("t")))


@register("mk-var")
class MakeVariable(Action):
    """`mk-var s "symbol"`."""

    makes = True

    def draw(self, gen: Generator) -> bool:
        return terms.random_binder(gen)

    def read(self, r: Reading) -> None:
        sort, name = r.sort(0), r.text(1, "a symbol")
        r.end(2)
        r.values(sort.sort)
        spelling = r.spelling("variables", *_kind_keys(sort.sort))
        r.made_term(make.make_variable(r.run, sort, name, r.seed, spelling, r.new_id("t")))


@register("mk-value")
class MakeValue(Action):
    """`mk-value s literal`."""

    makes = True
    reads_made = True
    establishes = ("has-input", "has-term")

    def draw(self, gen: Generator) -> bool:
        return leaves.value_action(gen)

    def read(self, r: Reading) -> None:
        sort = r.sort(0)
        words = r.line.args[1:]
        if r.trace.murxla and sort.sort.kind == "SORT_FP" and len(words) == 2:
            words = words[:1]  # some releases of Murxla write the base
        r.made_term(
            make.make_value(
                r.run, sort, words, r.seed, r.spelling("values", sort.sort.kind), r.new_id("t")
            )
        )


@register("mk-special-value")
class MakeSpecialValue(Action):
    """`mk-special-value s "name"`."""

    makes = True
    reads_made = True
    establishes = ("has-input", "has-term")

    def draw(self, gen: Generator) -> bool:
        return leaves.special_action(gen)

    def read(self, r: Reading) -> None:
        sort, name = r.sort(0), r.text(1, "the name of a special value")
        r.end(2)
        known = r.run.catalogue.sorts[sort.sort.kind].special
        if r.trace.murxla:
            name = murxla.old_special(name, sort.sort.kind)
        if name not in known:
            raise r.error(f"{sort.sort} has no special value '{name}'{nearest(name, known)}")
        r.made_term(
            make.make_special(
                r.run, sort, name, r.seed, r.spelling("special-values", name), r.new_id("t")
            )
        )


@register("mk-fun")
class MakeFunction(Action):
    """`mk-fun "symbol" n variables body`."""

    makes = True

    def draw(self, gen: Generator) -> bool:
        return terms.define_function(gen)

    def read(self, r: Reading) -> None:
        name = r.text(0, "a symbol")
        variables = r.counted_terms(1)
        body = r.term(2 + len(variables))
        r.end(3 + len(variables))
        _check_variables(r, "mk-fun", variables)
        if not variables or any(v not in [e.term for e in variables] for v in body.term.free):
            raise r.error(
                f"expected variables, and a body without other free variables; found {len(variables)} and {body}"
            )
        r.values(body.term.sort)
        spelling = r.spelling("functions", "mk-fun")
        r.made_term(
            make.make_function(
                r.run, name, variables, body, r.seed, spelling, r.new_id("t"), r.sort_id()
            )
        )


@register("mk-term")
class MakeTerm(Action):
    """`mk-term KIND SORT_KIND [s] [n symbols] n terms [n indices]`."""

    makes = True
    reads_made = True
    establishes = ("has-term", "has-bool", "has-root", "spent")

    def draw(self, gen: Generator) -> bool:
        return terms.random_term(gen)

    def read(self, r: Reading) -> None:
        if r.trace.murxla and murxla.defines(r.text(0, "an operator")):
            _make_defined(r)
            return
        operator = _operator(r)
        at, wanted = 2, None
        if isinstance(r.word(2, "a number of arguments"), Ref):
            wanted = r.sort(2).sort
            at = 3
        symbols = _symbols(r, operator, at)
        at += 0 if symbols is None else 1 + len(symbols)
        args = r.counted_terms(at)
        at += 1 + len(args)
        indices: tuple[Any, ...] = symbols or ()
        if operator.typing is None and at < len(r.line.args):
            count = r.count(at, "indices")
            indices = tuple(r.number(at + 1 + k, "an index") for k in range(count))
            at += 1 + count
        r.end(at)
        _make_term(r, Application(operator, args, indices, wanted))


def _mk_datatypes(r: Reading) -> None:
    block = read_datatypes(r)
    # Murxla makes such terms on purpose and never uses them; no binding promises anything about
    # them.
    founded = well_founded(block)
    if len(founded) < len(block):
        name = next(d.name for d in block if d not in founded)
        message = f"the datatype {name} has no finite value"
        if r.trace.murxla:
            raise Refused("unsupported", message)
        raise r.error(f"{message}, expected a constructor that does not need another {name}")
    r.made_sorts(
        make.make_datatypes(r.run, block, r.seed, r.spelling("sorts", "SORT_DT"), r.new_ids("s"))
    )


def _kind_keys(sort: Sort) -> tuple[str, str, str]:
    return sort.kind, sort.short, "any"


def _symbols(r: Reading, operator: Operator, at: int) -> tuple[str, ...] | None:
    """The symbols of a datatype's operator: a count, and then this many quoted words. The result is
    None if no symbols stand at `at`.
    """
    if operator.typing is None:
        return None
    if isinstance(_peek(r, at + 1), Quoted):
        count = r.count(at, "symbols")
        return tuple(r.text(at + 1 + k, "a symbol") for k in range(count))
    # A case without a constructor has no symbols, only terms, so two counts follow each other.
    return (
        ()
        if operator.typing == "match-case" and _peek(r, at) == 0 and len(r.line.args) > at + 1
        else None
    )


def _peek(r: Reading, at: int) -> Token | None:
    return r.line.args[at] if at < len(r.line.args) else None


def _operator(r: Reading) -> Operator:
    name = r.text(0, "an operator")
    if r.trace.murxla:
        name = murxla.old_operator(name)
    catalogue = r.run.catalogue
    operator = catalogue.operators.get(catalogue.aliases.get(name, name))
    if operator is None:
        if name.split("-")[0] in MURXLA_SOLVERS:
            raise Refused("unsupported", f"the operator {name} of another solver")
        raise r.error(f"unknown operator '{name}'{nearest(name, catalogue.operators)}")
    _result_kind(r)
    return operator


def _result_kind(r: Reading) -> None:
    kind = r.text(1, "the kind of the result sort")
    if kind not in r.run.catalogue.sorts:
        raise r.error(f"unknown sort kind '{kind}'{nearest(kind, r.run.catalogue.sorts)}")


def _make_defined(r: Reading) -> None:
    """Read the line of an operator of a single solver, which a term of our operators stands for."""
    _result_kind(r)
    args = r.counted_terms(2)
    at, index = 3 + len(args), None
    if at < len(r.line.args):
        count = r.count(at, "indices")
        index = r.number(at + 1, "an index") if count else None
        at += 1 + count
    r.end(at)
    entry = murxla.defined(r, r.text(0, "an operator"), args, index)
    _enter(r, murxla.as_stated(r, entry))


def _make_term(r: Reading, application: Application) -> None:
    if r.trace.murxla:
        application = murxla.translate(r, application)
    _check_arity(r, application.operator, application.args)
    if r.trace.murxla:
        application = murxla.in_range(murxla.with_numbers(r, application))
    _check_functions(r, application)
    if r.trace.murxla:
        _enter(r, murxla.as_stated(r, _apply_or_expand(r, application)))
    else:
        _enter(r, _apply(r, application))


def _enter(r: Reading, entry: Entry) -> None:
    sort = entry.term.sort.sort(1) if entry.term.sort.kind == "SORT_CASE" else entry.term.sort
    stated = str(r.line.args[1])
    numbers = r.trace.murxla and murxla.NUMBERS.issuperset((sort.kind, stated))
    if sort.kind != stated and not numbers:
        raise r.error(f"expected a term of kind {sort.kind}, found '{stated}'")
    r.made_term(entry)


def _apply_or_expand(r: Reading, application: Application) -> Entry:
    """Make the application, or else what it stands for. Raises Refused for an index that is too high
    here, since each of Murxla's solvers handles such an index in its own way.
    """
    try:
        if murxla.loops_too_often(application):
            raise IndexOutOfRange("a solver takes fewer repetitions")
        return _apply(r, application)
    except (NoSpelling, IndexOutOfRange) as error:
        entry = murxla.expanded(r, application)
        if entry is None:
            raise Refused("unsupported", str(error)) from None
        return entry


def _apply(r: Reading, application: Application) -> Entry:
    operator = application.operator
    return make.make_term(
        r.run,
        operator,
        application.args,
        application.indices,
        r.seed,
        application.wanted,
        r.spelling("operators", operator.kind),
        r.new_id("t"),
        r.sort_id(),
    )


def _check_arity(r: Reading, operator: Operator, args: list[Entry]) -> None:
    """Raise InputError for a wrong number of arguments, or for a bound argument that is no
    variable.
    """
    bound = make.bound_variables(operator, len(args))
    _check_variables(r, operator.kind, args[:bound])
    if operator.typing is not None or operator.signature.binder:
        return
    least = operator.minimum
    if len(args) < least or (len(args) > least and not takes_more(operator.signature)):
        more = "at least " if takes_more(operator.signature) else ""
        raise r.error(f"{operator.kind} takes {more}{least} arguments, found {len(args)}")


def _check_functions(r: Reading, application: Application) -> None:
    """Raise Refused for a function as an argument, if the operator takes no functions and the
    binding has no terms of function sorts.
    """
    shape = application.operator.signature.args
    for at, entry in enumerate(application.args):
        if at >= len(shape) or shape[at].kind != "SORT_FUN":
            r.values(entry.term.sort)


def _check_variables(r: Reading, what: str, variables: list[Entry]) -> None:
    terms = [e.term for e in variables]
    for at, term in enumerate(terms):
        if term.op != VARIABLE:
            raise r.error(f"{what} binds variables, but {variables[at]} is not a variable")
        if term in terms[:at]:
            raise r.error(f"{what} binds {variables[at]} twice")
