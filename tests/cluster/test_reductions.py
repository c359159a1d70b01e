"""Findings that the nodes of a cluster make smaller."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from campaigns import run
from links import HereLink, Sent
from plants import EXAMPLE, NEED_NOT, long_trace, planted

from murxpy.campaign.behind.process import smaller_of
from murxpy.campaign.behind.queue import Queue
from murxpy.campaign.behind.requests import Answer, Request
from murxpy.cluster import wire
from murxpy.cluster.node import Node, described
from murxpy.cluster.service import Answered
from murxpy.errors import InputError
from murxpy.findings.frames import Backtraces
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.records.config import Budget
from murxpy.records.events import Notice

pytestmark = pytest.mark.usefixtures("kept_solvers")

LONG = long_trace(NEED_NOT, EXAMPLE, 7, 60)
FAULTS = {"every": {"segfault": 15, "exception": 15}, "lines": 10}
KEY = "crash-sigsegv-toy-check-sat-assuming"


def asked_for(file: Path) -> Request:
    return Request(KEY, "crash", "SIGSEGV", str(file), 0, minimize=True)


def toy(folder: Path) -> Plan:
    """The toy solver with the fault, in a module of its own: a setup that is sent keeps only the keys that it
    has by right.
    """
    own = f"class Own(PlantedSession):\n    def __init__(self, setup):\n        super().__init__({{**setup, 'fault': {NEED_NOT}}})\n"
    (folder / "own.py").write_text(f"from planted import PlantedSession\n\n{own}")
    plan = planted(**NEED_NOT)
    paths = [*plan.setup["session_path"], str(folder)]
    return replace(plan, setup={**plan.setup, "session": "own:Own", "session_path": paths})


def lines(text: str) -> int:
    return len(parse_trace(text, "trace").lines)


def test_a_node_makes_a_trace_smaller_and_goes_on_from_an_earlier_one(tmp_path: Path) -> None:
    solvers, contents = described([toy(tmp_path)])
    asked = json.dumps(asdict(replace(asked_for(tmp_path / "no.trace"), programs=False))).encode()
    with closing(Node()) as node:

        def answer(request: wire.Request) -> wire.Answer:
            return wire.decode_answer(node.serve(wire.encode(request)))

        answer(wire.Contents(list(contents.values())))
        assert isinstance(answer(wire.Hello("k", solvers, Limits())), wire.Welcome)
        found = answer(wire.Reduction("k", 0, asked, LONG.encode(), b""))
        assert isinstance(found, wire.Reduced) and found.cpu > 0
        assert lines(found.trace.decode()) < 10 < lines(LONG)
        again = answer(wire.Reduction("k", 0, asked, LONG.encode(), found.trace))
        assert isinstance(again, wire.Reduced) and lines(again.trace.decode()) < 10
        nothing = answer(wire.Reduction("k", 0, asked, b"# murxpy-trace 1\n1 new\n", b""))
        assert nothing == wire.Reduced(b"", nothing.cpu)  # type: ignore[union-attr]
        assert isinstance(answer(wire.Reduction("k", 1, asked, b"", b"")), wire.Unusable)


class Giving:
    """Nodes that give this text as the smaller trace. `refused` is what is wrong with it."""

    def __init__(self, text: str) -> None:
        self._text, self.asked, self.refused = text, list[Request](), ""

    def can_reduce(self) -> bool:
        return True

    def reduce(
        self,
        target: int,
        request: bytes,
        trace: str,
        earlier: str,
        done: Callable[[str, float], None],
    ) -> None:
        self.asked.append(Request(**json.loads(request)))
        assert (target, trace, earlier) == (0, LONG, "")
        try:
            done(self._text, 2.0)
        except InputError as error:
            self.refused = str(error)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (EXAMPLE, ""),
        pytest.param("", "", marks=pytest.mark.slow),
        ('1 mk-const s1 "\n', "trace:1"),
        pytest.param(LONG * 9, "much larger", marks=pytest.mark.slow),
    ],
)
def test_the_process_here_looks_at_what_a_node_made_smaller(
    tmp_path: Path, text: str, refused: str
) -> None:
    file, answers, budget = tmp_path / "1.trace", list[Answer](), Budget(0.5)
    file.write_text(LONG)
    budget.unbounded = True
    nodes = Giving(text)

    def answered(request: Request, answer: Answer) -> None:
        answers.append(answer)

    queue = Queue((toy(tmp_path),), 0, budget, answered, nodes=nodes)
    queue.add(Request("no", "crash", "", str(tmp_path / "no.trace"), 0, False))
    queue.add(asked_for(file))
    queue.poll()
    assert [(one.key, one.programs) for one in nodes.asked] == [(KEY, False)]
    assert (refused in nodes.refused) if refused else not nodes.refused
    assert smaller_of(file).is_file() == bool(text and not refused)
    end = time.monotonic() + 60.0
    while queue.busy and time.monotonic() < end:
        queue.poll()
        time.sleep(0.01)
    queue.stop()
    assert queue.cpu > 2.0 and len(nodes.asked) == 1
    (found,) = [answer for answer in answers if answer.reproducers and answer.after]
    assert found.before >= 60 and found.after < 10 and found.ended == "complete"


def reduced_on_nodes(out: Path, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a campaign tells whose findings nodes make smaller; and it has made them smaller."""
    monkeypatch.setattr(Backtraces, "add", lambda self, key, plan, trace: None)
    options = {"runs": 60, "minimize": True, "cluster": lambda: HereLink(2, sent)}
    campaign, events = run(out, FAULTS, **options)
    assert len(campaign.buckets) == 2
    for bucket in campaign.buckets:
        assert [form.form for form in bucket.reproducers if form.reproduces] == [
            "trace",
            "min.trace",
        ]
    return [event.text for event in events if isinstance(event, Notice)]


@pytest.mark.parametrize(
    "how",
    [
        "garbage",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("lost", "another answer", "bytes")),
    ],
)
def test_a_finding_is_made_smaller_here_where_a_node_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    asked = list[str]()
    answers = {
        "garbage": wire.encode(wire.Reduced(b'1 mk-const s1 "\n', 1.0)),
        "another answer": wire.encode(wire.Lacks([])),
        "bytes": b"\xff",
    }

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Reduction):
            asked.append(node)
            if how == "lost":
                link.lose(node)
            else:
                link.tell(Answered(link.last, answers[how]))
            return False
        return True

    told = reduced_on_nodes(tmp_path / "out", sent, monkeypatch)
    (node,) = asked
    words = {
        "lost": f"node {node} is lost",
        "garbage": f"node {node} is not used: its smaller trace is none",
        "another answer": f"node {node} is not used: it answers wrongly",
        "bytes": f"node {node} is not used: its answer is no answer",
    }
    assert any(words[how] in text for text in told), told
