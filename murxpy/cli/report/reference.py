"""The contents of the data folders, as tables and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from murxpy.cli.report.machines import share_text
from murxpy.cli.report.tables import MEAN, TEXT, Kind, Table, kinds
from murxpy.data.spellings import forms
from murxpy.data.visits import Expected, Visits
from murxpy.machine.checks.registry import ANSWERING
from murxpy.solvers.facts import option_text

Plain = dict[str, Any]


def machine_summary(machine: Plain, visits: Visits) -> str:
    """Describe an average run of the machine in one line."""
    terms = visits.actions.get("mk-term", 0.0)
    checks = sum(visits.actions.get(action, 0.0) for action in ANSWERING)
    return (
        f"a run: {visits.length:.1f} actions, {terms:.1f} operator terms, {checks:.2f} checks; "
        f"{share_text(visits.unchecked)} of runs end without a check"
    )


def machine_table(machine: Plain, visits: Visits) -> Table:
    """The states, each with its transitions: how often a run is expected to take each, and its share
    of the state's actions.
    """
    columns = kinds(["state", "needs / when", "to"], ["weight", "share"])
    table = Table({**columns, "a run": MEAN})
    for name, state in machine["states"].items():
        kind = "" if state["kind"] == "normal" else f" ({state['kind']})"
        needs = ", ".join(state["needs"])
        table.add(name + kind, needs, None, None, None, visits.entered[name], style="bold")
        for position, transition in enumerate(state["do"]):
            to = "" if transition["to"] == name else transition["to"]
            share = share_text(visits.probability(name, position))
            taken = visits.taken[name, position]
            when = ", ".join(transition["when"])
            table.add(f"  {transition['do']}", when, to, f"{transition['weight']:g}", share, taken)
    return table


def machine_json(machine: Plain, visits: Visits) -> Plain:
    """The machine with its expected numbers, as plain data."""
    states = {}
    for name, state in machine["states"].items():
        transitions = [
            transition
            | {
                "probability": visits.probability(name, position),
                "expected": visits.taken[name, position],
            }
            for position, transition in enumerate(state["do"])
        ]
        numbers = {"entered": visits.entered[name], "actions": visits.steps[name]}
        states[name] = state | numbers | {"do": transitions}
    return {
        "name": machine["name"],
        "about": machine["about"],
        "start": machine["start"],
        "final": machine["final"],
        "length": visits.length,
        "unchecked": visits.unchecked,
        "actions": visits.actions,
        "states": states,
    }


def reach_table(rows: Sequence[Expected], runs: int) -> Table:
    """The expected number of calls of each operator and spelling in a number of runs, by theory."""
    calls = Kind(lambda count: f"{count:,.0f}" if count >= 9.95 else f"{count:.1f}")
    table = Table({"theory / operator / spelling": TEXT, f"in {runs:,} runs": calls, "": TEXT})
    theory = ""
    for row in rows:
        if row.theory != theory:
            theory = row.theory
            total = sum(
                other.count for other in rows if other.theory == theory and other.spelling is None
            )
            table.add(theory, total, style="bold")
        if row.spelling is None:
            table.add(f"  {row.operator}", row.count)
        else:
            table.add(f"    {row.spelling}", row.count, "at most" if row.guarded else None)
    return table


def reach_json(rows: Sequence[Expected], runs: int) -> Plain:
    """The expected calls of each operator and of its spellings, as plain data."""
    operators: Plain = {}
    for row in rows:
        if row.spelling is None:
            operators[row.operator] = {"theory": row.theory, "expected": row.count, "spellings": {}}
        else:
            operators[row.operator]["spellings"][row.spelling] = {
                "expected": row.count,
                "guarded": row.guarded,
            }
    return {"runs": runs, "operators": operators}


def theories_table(catalogue: Plain, wrappers: Mapping[str, Plain]) -> Table:
    """The theories: what they hold, what they require, and how many operators of each the wrapper of
    each solver spells.
    """
    columns = kinds(["theory", "SMT-LIB"], ["sorts", "operators", *wrappers])
    table = Table({**columns, "requires": TEXT})
    for theory in catalogue["theories"]:
        kept = [theory["operators"].keys() & each["operators"] for each in wrappers.values()]
        numbers = map(len, (theory["sorts"], theory["operators"], *kept))
        table.add(theory["name"], theory["smtlib"], *numbers, ", ".join(theory["requires"]))
    return table


def operators_table(theory: Plain, wrappers: Mapping[str, Plain]) -> Table:
    """The operators of a theory: SMT-LIB name, signature, and in how many ways each solver spells
    them.
    """
    table = Table({**kinds(["operator", "SMT-LIB", "signature"], wrappers), "": TEXT})
    for kind, operator in theory["operators"].items():
        counts = [_ways(wrapper["operators"].get(kind)) for wrapper in wrappers.values()]
        marks = filter(None, ("extension" * operator["extension"], operator["feature"]))
        table.add(kind, operator["smtlib"], operator["sig"], *counts, ", ".join(marks))
    for kind, sort in theory["sorts"].items():
        cells = (" ".join(sort["params"]), *[None] * len(wrappers), ", ".join(sort["special"]))
        table.add(kind, sort["smtlib"], *cells)
    return table


def _ways(entry: Any) -> str | int:
    return "-" if entry is None else len(forms(entry))


def theories_json(catalogue: Plain, wrappers: Mapping[str, Plain]) -> Plain:
    """The catalogue as plain data, each operator with the names of its spellings by solver."""
    theories = []
    for theory in catalogue["theories"]:
        operators = {
            kind: operator | {"spellings": _names_by_solver(kind, wrappers)}
            for kind, operator in theory["operators"].items()
        }
        theories.append(theory | {"operators": operators})
    return {"theories": theories}


def _names_by_solver(kind: str, wrappers: Mapping[str, Plain]) -> dict[str, list[str]]:
    entries = {name: wrapper["operators"].get(kind) for name, wrapper in wrappers.items()}
    return {name: list(forms(entry)) for name, entry in entries.items() if entry is not None}


def wrappers_table(wrappers: Mapping[str, Plain]) -> Table:
    """The wrappers: package, releases, and how much each wrapper spells."""
    counted = ["theories", "operators", "spellings", "options"]
    table = Table(kinds(["solver", "package", "releases"], counted))
    for name, wrapper in wrappers.items():
        spellings = [form for entry in wrapper["operators"].values() for form in forms(entry)]
        numbers = [str(len({**wrapper, "spellings": spellings}[part])) for part in counted]
        table.add(name, wrapper["package"], wrapper["releases"], *numbers)
    return table


def spellings_table(wrapper: Plain, sections: Sequence[str]) -> Table:
    """All spellings of a wrapper, by section."""
    table = Table(kinds(["section / entry", "spelling", "template", "when"], ["weight"]))
    for section in sections:
        if wrapper[section]:
            table.add(section, style="bold")
        for kind, entry in wrapper[section].items():
            for position, (name, form) in enumerate(forms(entry).items()):
                table.add("" if position else f"  {kind}", name, *form_cells(form))
    return table


def form_cells(form: Any) -> tuple[str, str, str]:
    """The template of a spelling, when it may be used, and its weight."""
    if isinstance(form, str):
        return form, "", ""
    when = form.get("when", [])
    guards = [when] if isinstance(when, str) else list(when)
    guards += [f"{key} {form[key]}" for key in ("since", "before", "fold") if key in form]
    weight = (
        "never drawn" if form.get("unsound") else f"{form['weight']:g}" if "weight" in form else ""
    )
    return form["is"], ", ".join(guards), weight


def options_table(wrapper: Plain) -> Table:
    """The options of the solver that runs draw from, and behind them the parameters of its process
    that mutants draw from.
    """
    table = Table(kinds(["option", "type", "values"]))
    for option in (*wrapper["options"], *wrapper["process-options"]):
        table.add(option["name"], option["type"], _values(option))
    return table


def _values(option: Plain) -> str:
    if "values" in option:
        return ", ".join(map(option_text, option["values"]))
    return f"{option['min']} to {option['max']}" if "min" in option else ""


def profile_lines(profile: Any, indent: str = "") -> list[str]:
    """The lines of a profile, one for each restriction."""
    lines = []
    for key, value in profile.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key}:", *profile_lines(value, indent + "  ")]
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append(f"{indent}{key}: {shown}")
    return lines


# ----------------------------------------------------------------------
# Rules of implication as tables and text.


Rule = Mapping[str, Any]
Proof = Mapping[str, Any]
_USED = {"weaken": "weaker", "strengthen": "stronger", "both": "weaker, stronger"}


def books_table(rules: Sequence[Rule], proofs: Sequence[Proof]) -> Table:
    """A row for each book, with how many of its rules are proved."""
    columns = {**kinds(["book"], ["rules", "proved"]), **kinds(["equivalences", "published"])}
    table = Table(columns)
    for book in dict.fromkeys(str(rule["book"]) for rule in rules):
        own = [(r, p) for r, p in zip(rules, proofs, strict=True) if r["book"] == book]
        marked = [sum(bool(r.get(mark)) for r, _ in own) for mark in ("equivalent", "published")]
        table.add(book, len(own), sum(bool(proof) for _, proof in own), *marked)
    return table


def rules_table(rules: Sequence[Rule], proofs: Sequence[Proof]) -> Table:
    """A row for each rule, with its patterns and what proved it; the book, if there are several."""
    several = len({str(rule["book"]) for rule in rules}) > 1
    table = Table(kinds(["book"] * several + ["rule", "strong", "", "weak", "proved by"]))
    for rule, proof in zip(rules, proofs, strict=True):
        cells = rule["name"], rule["strong"], _relation(rule), rule["weak"]
        by = ", ".join(proof.get("by") or ()) or "nobody: not used"
        table.add(*[str(rule["book"])] * several, *cells, by)
    return table


def _relation(rule: Rule) -> str:
    """The sign that shows how the patterns are related."""
    if (rule.get("order") or "bool") != "bool":
        return "<="
    return "<=>" if rule.get("equivalent") else "=>"


def laws(rule: Rule, proof: Proof) -> Iterator[str]:
    """All that is known of one rule, a line for each part."""
    order = rule.get("order") or "bool"
    relation = (
        "is"
        if rule.get("equivalent")
        else "implies"
        if order == "bool"
        else f"is at most, in {order},"
    )
    yield f"{rule['book']}:{rule['name']}"
    yield f"  {rule['strong']}\n  {relation}\n  {rule['weak']}"
    for key in ("datatypes", "vars", "either", "indices"):
        for letter, said in (rule.get(key) or {}).items():
            yield f"  {letter}: {', '.join(said) if isinstance(said, list) else said}"
    if rule.get("where"):
        yield f"  where {rule['where']}"
    if rule.get("chain"):
        yield f"  also for chains of {' and '.join(rule['chain'])}"
    yield f"  makes formulas {_USED[rule.get('directions') or 'both']}"
    if rule.get("published"):
        yield f"  published as {rule['published']}"
    for by, keys in (proof.get("by") or {}).items():
        said = ", ".join(key for key in keys if key)
        verb = "tried on all values within bounds by our" if by == "evaluator" else "proved by"
        yield f"  {verb} {by}{said and f' for {said}'}"
    if proof.get("bounds"):
        yield f"  the evaluator's bounds: {proof['bounds']}"
    if rule.get("argument"):
        others = "for other datatypes" if rule.get("datatypes") else "at other widths"
        yield f"  {others}: {rule['argument']}"
    if not proof:
        yield "  no proof of it is kept, so it is not used; a campaign asks for proofs of rules in your own files"
