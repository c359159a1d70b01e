"""Lifted scripts against the solver's own parser: every script of a folder is read, lifted and
replayed through the solver's API, and run as a text by its own front end; decided answers must
agree, in number and in order.

`python bench/lifting.py z3 --scripts FOLDER` adds a row to `bench/results/lifting.md`.

    python bench/lifting.py z3 --scripts ../shared/smtlib
    python bench/lifting.py cvc5 --scripts ../shared/smtlib --limit 1000
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from children import Outcome, Write, run_all
from common import facts, load, parser, percent, save, table, verdict

from murxpy.errors import InputError, MurxpyError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.lift import for_judges, lift
from murxpy.smtlib.reading.scripts import read_script, read_text
from murxpy.worker.session import Session

DECIDED = ("sat", "unsat")


class Comparison:
    """The task of one child: both ways to run one script."""

    def __init__(self, paths: list[Path], catalogue: Catalogue, milliseconds: int) -> None:
        self.paths = paths
        self.catalogue = catalogue
        self.milliseconds = milliseconds

    def __call__(self, session: Session, number: int, write: Write) -> dict[str, Any]:
        path = self.paths[number]
        text = read_text(path)
        try:
            trace = for_judges(lift(read_script(text, path.name, self.catalogue)))
        except InputError as error:
            return {"refused": error.reason}
        rows: list[str] = []
        limit = int(self.milliseconds * float(session.wrapper.data.get("limit-per-ms") or 1))
        report = session.judge(trace.text(), path.name, rows.append, {"limit": limit})
        script = (
            f"# solver {session.wrapper.name}\nnew\nset-limit {limit}\nrun-script {Quoted(text)}\n"
        )
        own: list[str] = []
        replayed = session.replay(script, path.name, own.append)
        write("done\n")
        return {
            "lifted": answers(rows),
            "parsed": answers(own),
            "message": report.get("message"),
            "declined": [k for k in report["counts"] if "refused" in k],
            "error": refusals(own) or refusals(rows),
            "status": f"{report['status']} {replayed['status']}",
        }


def answers(rows: list[str]) -> list[str]:
    """The answers in what a run wrote."""
    words = [row.split() for row in "".join(rows).splitlines()]
    return [w[1] for w in words if w[:1] == ["answer"]]


def refusals(rows: list[str]) -> str:
    """The first refusal in what a run wrote."""
    return next(
        (row.strip() for row in "".join(rows).splitlines() if row.strip().startswith("refused")), ""
    )


def kind(outcome: Outcome) -> tuple[str, str]:
    """What came of a script, and the reason."""
    if outcome.status != "ok":
        return outcome.status, outcome.cause
    result = outcome.result
    if "refused" in result:
        return "not read", str(result["refused"])
    lifted, parsed = result["lifted"], result["parsed"]
    if not lifted or len(lifted) != len(parsed):
        which = (
            "lifted"
            if len(lifted) < len(parsed)
            else "parser"
            if len(parsed) < len(lifted)
            else "both"
        )
        return f"declined ({which})", str(result["message"] or result["error"])
    pairs = [(a, b) for a, b in zip(lifted, parsed, strict=True) if a in DECIDED and b in DECIDED]
    if any(a != b for a, b in pairs):
        return "DIFFERS", f"lifted {lifted}, parsed {parsed}"
    if len(pairs) == len(lifted):
        return "agrees", ""
    only = {
        "lifted" if a in DECIDED else "parser"
        for a, b in zip(lifted, parsed, strict=True)
        if (a in DECIDED) != (b in DECIDED)
    }
    return (
        f"only {' and '.join(sorted(only))} decided" if only else "both unknown"
    ), f"lifted {lifted}, parsed {parsed}"


def main() -> None:
    """Measure, print, save."""
    options = parser(__doc__, None)
    options.add_argument(
        "--scripts", type=Path, default=Path("../shared/smtlib"), help="folder of scripts"
    )
    options.add_argument(
        "--limit",
        type=int,
        default=500,
        help="the limit of a check, in milliseconds of the solver's own limit",
    )
    options.add_argument(
        "--wall", type=float, default=20.0, help="seconds for one script both ways"
    )
    args = options.parse_args()
    session = load(args)
    paths = sorted(args.scripts.rglob("*.smt2"))
    if not paths:
        raise SystemExit(f"error: no *.smt2 below {args.scripts}")
    counts: Counter[str] = Counter()
    reasons: dict[str, list[str]] = {}
    try:
        task = Comparison(paths, session.catalogue, args.limit)
        for outcome in run_all(session, range(len(paths)), task, jobs=1, wall=args.wall, chunk=50):
            name, reason = kind(outcome)
            counts[name] += 1
            if name != "agrees":
                reasons.setdefault(name, []).append(f"{paths[outcome.seed].name}: {reason}")
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None
    report(session, args, counts, reasons, len(paths))


def report(
    session: Session, args: Any, counts: Counter[str], reasons: dict[str, list[str]], total: int
) -> None:
    """Print the tables and save the figures."""
    about = facts(session, args)
    table(
        f"{about['solver']} {about['version']}: {total} scripts, {args.limit} ms a check",
        ["outcome", "scripts", "share"],
        [(name, n, percent(n, total)) for name, n in counts.most_common()],
    )
    for name, lines in sorted(reasons.items()):
        print(f"\n{name}:")
        for line in lines[:8]:
            print(f"  {line[:200]}")
    decided = counts["agrees"] + counts["DIFFERS"]
    print(
        f"\ndecided answers agree: {percent(counts['agrees'], decided)}, aim 100 %: {verdict(not counts['DIFFERS'])}"
    )
    row = {
        "scripts": total,
        "agree": counts["agrees"],
        "differ": counts["DIFFERS"],
        "agreement": percent(counts["agrees"], decided),
    }
    save(
        "lifting",
        args,
        about,
        {"scripts": total, "outcomes": dict(counts), "reasons": reasons},
        row,
    )


if __name__ == "__main__":
    main()
