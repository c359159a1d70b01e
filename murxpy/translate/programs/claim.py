"""What a program must show, and the sentence that says what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """What a program must show: the kind and the message of the finding, and one sentence that says
    what is wrong.
    """

    kind: str
    message: str
    sentence: str


_SENTENCES = {
    "invalid-model": "gives a model in which an assertion is false",
    "model-value": "gives a constant in its model what is no value",
    "invalid-value": "gives a term another value than its model does",
    "invalid-core": "gives an unsat core that is satisfiable",
    "invalid-assumptions": "gives unsat assumptions that are satisfiable",
    "repeated-model": "gives a model again that was blocked",
    "invalid-elimination": "eliminates quantifiers from a formula and gets another one",
    "invalid-interpolant": "gives an interpolant that is none",
    "invalid-abduct": "gives an abduct that is none",
    "invalid-proof": "gives a proof that does not prove the answer",
    "hang": "does not come to an end",
    "crash": "dies",
    "abort": "aborts",
    "exit": "ends the process",
}
_ANSWERS = ("disagreement", "wrong-answer", "wrong-unsat")


def sentence(about: str, kind: str, message: str, answer: str = "") -> str:
    """What is wrong with the solver and release `about`, in one line. `answer` is its wrong answer,
    where the finding is one.
    """
    about = about.partition("-")[0]
    if kind in _ANSWERS and answer:
        right = {"sat": "unsat", "unsat": "sat"}.get(answer, "another")
        return f"{about} answers {answer}, and the right answer is {right}."
    if kind in ("crash", "abort", "exit"):
        return f"{about} {_SENTENCES[kind]}: {_short(message)}"
    if kind == "exception":
        return f"{about} raises {_short(message)}"
    if kind in _SENTENCES:
        return f"{about} {_SENTENCES[kind]}."
    return f"{about}: {_short(message)}"


# what a printed value has behind a parenthesis
_OF_VALUES = {
    *("let", "as", "_", "-", "/", "to_real", "store", "const", "fp", "tuple", "lambda"),
    *("seq.unit", "seq.++", "set.singleton", "set.insert", "set.union"),
    *("bag", "bag.union_disjoint"),
}
_APPLIED = re.compile(r"(?<!\()\(([a-z<>=*+][\w.<>=*+]*) ")


def unevaluated(message: str) -> list[str]:
    """What begins the applications in a printed value that is none, such as `(seq.nth `, from the
    message of the finding. Nothing of this stands in a value.
    """
    shown = message.partition("'")[2]
    names = dict.fromkeys(_APPLIED.findall(shown))
    return [f"({name} " for name in names if name not in _OF_VALUES]


def _short(message: str) -> str:
    text = " ".join(message.split()).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 160 else f"{text[:157]}..."
