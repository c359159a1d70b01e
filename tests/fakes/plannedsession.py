"""A session whose every run commits one planned fault. The run's seed alone decides which, so whoever
knows the seed knows, without murxpy, which findings belong together.

The setup: `buckets` is the number of different faults, and `weights` maps a kind of fault to its share
of the runs; kinds without a weight are left out. `fault_of` gives the fault of a seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import faults
from fakesession import FakeSession

Write = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault: what a campaign is to call it, and the largest number of different faults of
    this kind. A fault of a rare kind costs a large part of a second, so there are few of them.
    """

    told: str
    most: int = 1_000_000


KINDS = {
    "segfault": Kind("crash"),
    "abort": Kind("abort"),
    "exit": Kind("exit"),
    "stack": Kind("crash"),
    "memory": Kind("out-of-memory", 4),
    "hang": Kind("hang", 4),
    "stderr": Kind("abort"),
    "exception": Kind("exception"),
    "wrong-sat": Kind("wrong-answer"),
    "wrong-unsat": Kind("wrong-unsat"),
    "wrong-model": Kind("invalid-model"),
    "wrong-core": Kind("invalid-core"),
    "wrong-value": Kind("invalid-value"),
}
# The kinds after which the process goes on, with the action that finds them, and their messages. `{word}`
# and `{operator}` tell the faults apart; the rest differs from one finding of a fault to the next.
REPORTED = {
    "exception": ("mk-term", "SolverError: cannot rewrite {word} at 0x{noise:x} in /tmp/{noise}/a"),
    "wrong-sat": ("check-sat", "answered sat, expected unsat by how the check was made"),
    "wrong-unsat": (
        "check-sat",
        "answered unsat, expected sat: a planted model; c{noise} = {noise}",
    ),
    "wrong-model": ("check-model", "An assertion about {word} is false; the solver says {noise}"),
    "wrong-core": (
        "check-core",
        "the core has what was not asserted: {word} of {noise} assertions",
    ),
    "wrong-value": ("check-values", "the value of '{noise}' is no value of {word}"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Number `number` of the faults of a kind."""

    kind: str
    number: int


class Faults:
    """The faults of a setup: `buckets` faults, shared out to the kinds in `weights`."""

    def __init__(self, buckets: int, weights: Mapping[str, int]) -> None:
        self._weights = {kind: weights[kind] for kind in KINDS if weights.get(kind)}
        self._total = sum(self._weights.values())
        self.number: dict[str, int] = {}
        left = buckets
        for at, kind in enumerate(sorted(self._weights, key=lambda kind: KINDS[kind].most)):
            share = -(-left // (len(self._weights) - at))
            self.number[kind] = min(KINDS[kind].most, share)
            left -= self.number[kind]

    def of(self, seed: int) -> Fault:
        """The fault that the run with `seed` commits."""
        place = seed % self._total
        for kind, weight in self._weights.items():
            if place < weight:
                return Fault(kind, seed // self._total % self.number[kind])
            place -= weight
        raise AssertionError("the weights are those of the total")


def word(number: int) -> str:
    """A word for a number, without digits, since numbers do not tell findings apart."""
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = chr(ord("a") + digit) + letters
        if not number:
            return f"w{letters}w"


class PlannedSession(FakeSession):
    """Each run is a few lines and then one such as `00042 mk-term@segfault OP_F7 SORT_BOOL 1 t7`: the
    spelling names the kind of the fault, the last word its number.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        super().__init__(setup)
        self._faults = Faults(setup["buckets"], setup["weights"])

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        fault = self._faults.of(seed)
        write(f"# planned run {seed:x}\n")
        for number in range(1, 4 + seed % 5):
            write(f"{seed % 99991 + number:05} mk-const s1 x{number}\n      return t{number}\n")
        # The place in the source that a dying process names stands for the call: any operator will do.
        operator = seed % 7 if fault.kind == "stderr" else fault.number
        write(
            f"{seed % 99999:05} mk-term@{fault.kind} OP_F{operator} SORT_BOOL 1 t{fault.number}\n"
        )
        return self._report(seed, self._planned(fault))

    def replay(self, text: str, name: str, write: Write) -> dict[str, Any]:
        for line in text.splitlines():
            write(line + "\n")
            words = line.split()
            kind = words[1].partition("@")[2] if len(words) > 1 else ""
            if kind:
                return self._report(0, self._planned(Fault(kind, int(words[-1][1:]))))
        return self._report(0, None)

    def _planned(self, fault: Fault) -> dict[str, Any]:
        if fault.kind not in REPORTED:
            self._die(fault)
        action, message = REPORTED[fault.kind]
        noise = os.getpid() * 1009 + self._runs
        operator = f"OP_F{fault.number}"
        return {
            "kind": KINDS[fault.kind].told,
            "message": message.format(word=word(fault.number), noise=noise),
            "action": action,
            "operator": operator if action in ("mk-term", "check-sat") else "",
            "spelling": "default",
            "tier": "solver",
        }

    def _die(self, fault: Fault) -> None:
        if fault.kind == "exit":
            os._exit(1 + fault.number % 50)
        if fault.kind == "stderr":
            said = f"/build/{os.getpid()}/fake.cpp:{10 + fault.number}: void f(): Assertion `d > 0' failed.\n"
            os.write(2, said.encode())
            faults.commit("abort")
        faults.commit({"hang": "sleep"}.get(fault.kind, fault.kind))
