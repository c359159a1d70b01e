"""Tables of what the data folders hold: for a terminal, as plain aligned lines, and as plain data for
JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from murxpy.cli.report.machines import share_text
from murxpy.data.spellings import forms
from murxpy.data.visits import Expected, Visits
from murxpy.foreign import escaped
from murxpy.machine.checks.registry import ANSWERING
from murxpy.solvers.facts import option_text

Plain = dict[str, Any]
_GAP = 2


@dataclass
class Table:
    """Cells in columns. The columns named in `right` hold numbers; the rows in `strong` head groups."""

    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    right: Sequence[str] = ()
    strong: set[int] = field(default_factory=set)

    def add(self, *cells: str, strong: bool = False) -> None:
        """Add a row. Cells that are missing at its end are empty."""
        if strong:
            self.strong.add(len(self.rows))
        self.rows.append([*map(escaped, cells), *[""] * (len(self.columns) - len(cells))])


def print_table(console: Console, table: Table) -> None:
    """Print a table. On a terminal it is fitted to the width; elsewhere each row is one whole line,
    with the columns aligned, for grep and awk.
    """
    if not console.is_terminal:
        for line in plain_lines(table):
            console.out(line, highlight=False)
        return
    shown = RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="cyan")
    for name in table.columns:
        right = name in table.right
        shown.add_column(name, justify="right" if right else "left", no_wrap=right, overflow="fold")
    for index, row in enumerate(table.rows):
        shown.add_row(*(Text(cell, "bold" if index in table.strong else "") for cell in row))
    console.print(shown)


def plain_lines(table: Table) -> list[str]:
    """The lines of a table as plain text, its header first."""
    grid = [list(table.columns), *table.rows]
    widths = [max(len(row[index]) for row in grid) for index in range(len(table.columns))]
    numbers = [name in table.right for name in table.columns]
    return [
        (" " * _GAP)
        .join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numbers, strict=True)
        )
        .rstrip()
        for row in grid
    ]


def machine_summary(machine: Plain, visits: Visits) -> str:
    """What an average run of the machine does, in one line."""
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
    table = Table(
        ("state", "needs / when", "to", "weight", "share", "a run"),
        right=("weight", "share", "a run"),
    )
    for name, state in machine["states"].items():
        kind = "" if state["kind"] == "normal" else f" ({state['kind']})"
        table.add(
            name + kind,
            ", ".join(state["needs"]),
            "",
            "",
            "",
            f"{visits.entered[name]:.2f}",
            strong=True,
        )
        for position, transition in enumerate(state["do"]):
            to = "" if transition["to"] == name else transition["to"]
            share = share_text(visits.probability(name, position))
            count = f"{visits.taken[name, position]:.2f}"
            when = ", ".join(transition["when"])
            table.add(f"  {transition['do']}", when, to, f"{transition['weight']:g}", share, count)
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
    """How many calls of each operator and spelling are expected in a number of runs, by theory."""
    column = f"in {runs:,} runs"
    table = Table(("theory / operator / spelling", column, ""), right=(column,))
    theory = ""
    for row in rows:
        if row.theory != theory:
            theory = row.theory
            total = sum(
                other.count for other in rows if other.theory == theory and other.spelling is None
            )
            table.add(theory, _count(total), strong=True)
        if row.spelling is None:
            table.add(f"  {row.operator}", _count(row.count))
        else:
            table.add(f"    {row.spelling}", _count(row.count), "at most" if row.guarded else "")
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


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


def theories_table(catalogue: Plain, wrappers: Mapping[str, Plain]) -> Table:
    """The theories: what they hold, what they require, and how many operators of each the wrapper of
    each solver spells.
    """
    right = ("sorts", "operators", *wrappers)
    table = Table(("theory", "SMT-LIB", "sorts", "operators", *wrappers, "requires"), right=right)
    for theory in catalogue["theories"]:
        spelled = [str(_spelled(theory, wrapper)) for wrapper in wrappers.values()]
        numbers = (str(len(theory["sorts"])), str(len(theory["operators"])))
        table.add(
            theory["name"], theory["smtlib"], *numbers, *spelled, ", ".join(theory["requires"])
        )
    return table


def _spelled(theory: Plain, wrapper: Plain) -> int:
    return sum(kind in wrapper["operators"] for kind in theory["operators"])


def operators_table(theory: Plain, wrappers: Mapping[str, Plain]) -> Table:
    """The operators of a theory: SMT-LIB name, signature, and in how many ways each solver spells
    them.
    """
    table = Table(("operator", "SMT-LIB", "signature", *wrappers, ""), right=tuple(wrappers))
    for kind, operator in theory["operators"].items():
        counts = [_ways(wrapper["operators"].get(kind)) for wrapper in wrappers.values()]
        marks = [
            mark
            for mark in ("extension" if operator["extension"] else None, operator["feature"])
            if mark
        ]
        table.add(kind, operator["smtlib"], operator["sig"], *counts, ", ".join(marks))
    for kind, sort in theory["sorts"].items():
        table.add(
            kind,
            sort["smtlib"],
            " ".join(sort["params"]),
            *[""] * len(wrappers),
            ", ".join(sort["special"]),
        )
    return table


def _ways(entry: Any) -> str:
    return "-" if entry is None else str(len(forms(entry)))


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
    table = Table(
        ("solver", "package", "releases", "theories", "operators", "spellings", "options"),
        right=("theories", "operators", "spellings", "options"),
    )
    for name, wrapper in wrappers.items():
        spellings = sum(len(forms(entry)) for entry in wrapper["operators"].values())
        numbers = (
            len(wrapper["theories"]),
            len(wrapper["operators"]),
            spellings,
            len(wrapper["options"]),
        )
        table.add(name, wrapper["package"], wrapper["releases"], *map(str, numbers))
    return table


def spellings_table(wrapper: Plain, sections: Sequence[str]) -> Table:
    """All spellings of a wrapper, by section."""
    table = Table(("section / entry", "spelling", "template", "when", "weight"), right=("weight",))
    for section in sections:
        if wrapper[section]:
            table.add(section, strong=True)
        for kind, entry in wrapper[section].items():
            for position, (name, form) in enumerate(forms(entry).items()):
                table.add("" if position else f"  {kind}", name, *_form_cells(form))
    return table


def _form_cells(form: Any) -> tuple[str, str, str]:
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
    table = Table(("option", "type", "values"))
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
    table = Table(
        ["book", "rules", "proved", "equivalences", "published"], right=["rules", "proved"]
    )
    for book in dict.fromkeys(str(rule["book"]) for rule in rules):
        own = [(r, p) for r, p in zip(rules, proofs, strict=True) if r["book"] == book]
        table.add(
            book,
            str(len(own)),
            str(sum(bool(proof) for _, proof in own)),
            str(sum(bool(rule.get("equivalent")) for rule, _ in own)),
            str(sum(bool(rule.get("published")) for rule, _ in own)),
        )
    return table


def rules_table(rules: Sequence[Rule], proofs: Sequence[Proof]) -> Table:
    """A row for each rule, with its patterns and what proved it; the book, if there are several."""
    several = len({str(rule["book"]) for rule in rules}) > 1
    table = Table(["book"] * several + ["rule", "strong", "", "weak", "proved by"])
    for rule, proof in zip(rules, proofs, strict=True):
        table.add(
            *([str(rule["book"])] if several else []),
            rule["name"],
            rule["strong"],
            _relation(rule),
            rule["weak"],
            ", ".join(proof.get("by") or ()) or "nobody: not used",
        )
    return table


def _relation(rule: Rule) -> str:
    """How the patterns are related, as a sign."""
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
