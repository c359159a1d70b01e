"""The limits of a run's checks, by what the checks before them answered."""

from __future__ import annotations

from murxpy.sources.mutation.options import Patience


def spent(answers: str, length: int = 200) -> tuple[list[int], Patience]:
    """The limits that checks had whose answers are s(at), u(nknown), again and again."""
    patience, limits = Patience(1000), []
    for at in range(length):
        if patience.over:
            break
        limits.append(patience.limit)
        patience.note(["sat" if answers[at % len(answers)] == "s" else "unknown"])
    return limits, patience


def test_what_is_never_decided_is_given_up() -> None:
    limits, patience = spent("u")
    assert patience.over and len(limits) < 20 and sum(limits) < 500
    assert limits == sorted(limits, reverse=True) and limits[0] == 250


def test_what_is_decided_gets_the_largest_limit() -> None:
    limits, patience = spent("s")
    assert not patience.over and limits[-1] == 1000 and max(limits) == 1000


def test_now_and_then_a_check_may_fail() -> None:
    """Undecided checks get no more than the decided ones earn."""
    limits, patience = spent("ssssu")
    assert not patience.over and sum(limits[4::5]) <= 500 + 10 * 160


def test_a_solver_without_limits_has_patience_too() -> None:
    patience = Patience(0)
    assert patience.limit == 0 and not patience.over
    for _ in range(100):
        patience.note(None)
    assert patience.over and patience.limit == 0
