"""`murxpy theories`: the theories, or the operators of one; `murxpy rules`: the rules of implication,
their laws, and what proved them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from murxpy.cli.completing import theories as theory_names
from murxpy.cli.options import json_option
from murxpy.cli.params import Text, names
from murxpy.cli.report.console import Progress, make_console, print_json, say
from murxpy.cli.report.reference import (
    books_table,
    laws,
    operators_table,
    rules_table,
    theories_json,
    theories_table,
)
from murxpy.data import load_catalogue, load_wrapper, wrapper_names
from murxpy.data.rules import fingerprint, proofs_path, read_proofs, write_proofs
from murxpy.data.theories import Plain
from murxpy.errors import InputError, nearest
from murxpy.fuzzers.setups import named_rules, shipped_rules, well_sorted
from murxpy.judging.rules import Verdict, check_rules, why_unusable

_AT_ONCE = 12  # rules whose proofs are kept together


@click.command()
@click.argument("theory", required=False, type=Text(theory_names))
@json_option
def theories(theory: str | None, as_json: bool) -> None:
    """Show the theories; or the operators of THEORY, with the number of ways in which the wrapper of
    each solver spells them.
    """
    catalogue = load_catalogue()
    wrappers = {name: load_wrapper(name) for name in wrapper_names()}
    if theory is not None:
        known = [entry["name"] for entry in catalogue["theories"]]
        if theory.upper() not in known:
            raise InputError(
                f"unknown theory '{theory}'{nearest(theory.upper(), known)}; known are {', '.join(known)}"
            )
        catalogue = {
            "theories": [
                entry for entry in catalogue["theories"] if entry["name"] == theory.upper()
            ]
        }
    if as_json:
        print_json(theories_json(catalogue, wrappers))
    elif theory is None:
        theories_table(catalogue, wrappers).print(make_console())
    else:
        operators_table(catalogue["theories"][0], wrappers).print(make_console())


@click.command()
@click.argument("name", required=False)
@click.option("--prove", is_flag=True, help="Prove the rules again, and keep the proofs.")
@click.option(
    "--by",
    type=names(),
    default="",
    metavar="SOLVER[@PLACE],...",
    help="The solvers that --prove asks.  [default: those that judge by default]",
)
@json_option
def rules(name: str | None, prove: bool, by: tuple[str, ...], as_json: bool) -> int:
    """Show the books of rules of implication; or the rules of the book NAME, or the one rule NAME,
    with their laws and what proved them. NAME can be a file of yours. Without --prove no solver is
    asked.

    \b
    Examples:
      murxpy rules
      murxpy rules strings
      murxpy rules at-most-extended
      murxpy rules mine.yaml --prove
    """
    if by and not prove:
        raise click.UsageError("--by names the solvers of --prove: give --prove, too")
    if name == "":
        raise click.UsageError("expected a book or a rule, found an empty text")
    chosen = named_rules([name]) if name else shipped_rules()
    if name:
        well_sorted(chosen)
    wrong = _prove(chosen, by) if prove else 0
    proofs = _kept(chosen)
    if as_json:
        rows = [{**rule, "proof": proof} for rule, proof in zip(chosen, proofs, strict=True)]
        print_json(rows)
    elif name is None:
        books_table(chosen, proofs).print(make_console())
    elif len(chosen) == 1:
        for line in laws(chosen[0], proofs[0]):
            say(line)
    else:
        rules_table(chosen, proofs).print(make_console())
    return 1 if wrong else 0


def _kept(chosen: Sequence[Plain]) -> list[Plain]:
    """The kept proof of each rule; empty where there is none of its text."""
    known: dict[str, Plain] = {}
    found = []
    for rule in chosen:
        file = str(rule["file"])
        if file not in known:
            known[file] = read_proofs(proofs_path(Path(file)))
        proof = known[file].get(rule["name"]) or {}
        found.append(proof if proof.get("text") == fingerprint(rule) else {})
    return found


def _prove(chosen: Sequence[Plain], by: Sequence[str]) -> int:
    """Prove rules, keep the proofs, and tell what does not hold or is not proved. Returns how many
    rules cannot be used. Rules that follow from the table of operators may lack a proof.
    """
    wrong = 0
    with Progress("proving", len(chosen)) as progress:
        for verdict in _verdicts(chosen, by):
            progress.step()
            _keep(verdict)
            if verdict.holds and not verdict.open:
                continue
            bad = not verdict.holds and bool(verdict.refuted or not verdict.rule.generated)
            wrong += bad
            what = "cannot be used" if not verdict.holds else "is used where it is proved"
            plain = verdict.rule.plain
            place = "" if plain.get("generated") else f"{plain['file']}:{plain.get('line')}: "
            progress.say(
                f"{place}rule {verdict.rule.name} {what}: {why_unusable(verdict)}", err=True
            )
    return wrong


def _verdicts(chosen: Sequence[Plain], by: Sequence[str]) -> Iterator[Verdict]:
    for start in range(0, len(chosen), _AT_ONCE):
        yield from check_rules(chosen[start : start + _AT_ONCE], by)


def _keep(verdict: Verdict) -> None:
    path = proofs_path(Path(str(verdict.rule.plain["file"])))
    proofs = read_proofs(path)
    proofs.pop(verdict.rule.name, None)
    if verdict.holds:
        proofs[verdict.rule.name] = verdict.kept()
    write_proofs(path, dict(sorted(proofs.items())))
