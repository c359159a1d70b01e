"""Hostile input files: sound ones with bytes, tokens and lines damaged, or nested and numbered
beyond all use. Each is a seed's.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("script", "trace", "model", "known", "machine", "theory", "wrapper", "profile")
MOST = 12_000  # bytes of a sound file that is damaged; longer ones are cut at a line
DEPTHS = (10, 500, 5_000, 100_000)
_PIECE = re.compile(rb'[\w.+-]+|"[^"]*"|\s+|.', re.S)
_INSERTED = (
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"\x1b",
    b"\x7f",
    b'"',
    b"|",
    b"(",
    b")",
    b";",
    b"#",
    b"\\",
    b":",
    b"@",
    b"{",
    b"}",
    b"[",
    b"]",
    b"&a",
    b"*a",
    b"!",
    b"- ",
    b"\t",
    b"\\u{110000}",
    b"\\ud800",
    b"'",
    b"%",
    b"-",
    b"~",
    b"?",
    b"\xe2\x80\xa8",
    "\u0661".encode(),
    "\u00b2".encode(),
    "\U0001d7d9".encode(),
)
_WORDS = (
    b"0",
    b"-1",
    b"00",
    b"1e999",
    b"nan",
    b"-0",
    b"4294967296",
    b"18446744073709551616",
    b"9" * 30,
    b"9" * 5000,
    b"0x10",
    b"#b",
    b"#x",
    b"#xg",
    b"#b2",
    b"true",
    b"null",
    b"()",
    b"(_ )",
    b"(as )",
    b"(! )",
    b"(let () x)",
    b"(_ BitVec 0)",
    b"(_ bv5 99999999999)",
    b"(_ char #xzz)",
    b"(_ FloatingPoint 2 2)",
    b"((_ to_fp 1 1) x)",
    b"((_ repeat 99999999) x)",
    b"((_ zero_extend 4294967295) x)",
    b"(_ FiniteField 4)",
    b"Int",
    b"(Array Int (Array Int Int))",
    b"x",
    b"s1",
    b"t1",
    b"o1",
    b"s999999999",
    b"t0",
    b"OP_AND",
    b"OP_VALUE",
    b"SORT_BV",
    b"SORT_DT",
    b"py:[",
    b"py:" + b"[" * 40,
    b'py:"a"',
    b"py:-0x1p+9999f",
    b's"p"',
    b"s(nil)",
    b's<"d">',
    b"return",
    b"(push 99999999)",
    b"(pop 1)",
    b"(reset)",
    b"(exit)",
    b"(check-sat)",
    b"(assert true)",
    b"[]",
    b"{}",
    b"{a: b}",
    b"[1, 2]",
    b"~",
    b"'",
    b"<<: *a",
    b"---",
    b"!!python/object:os.system",
)
_NESTS = {
    "script": [
        (b"(assert (not ", b"true", b"))"),
        (b"(", b"", b")"),
        (b"(assert (let ((x ", b"true", b")) x))"),
        (b"(! ", b"true", b")"),
        (b"(declare-const q (Array Int ", b"Int", b"))"),
        (b"(assert (forall ((x Int)) ", b"true", b"))"),
        (b"(push 1)", b"", b"(pop 1)"),
        (b"((", b"x", b"))"),
        (b"(set-info :a (", b"", b"))"),
        (b"(assert (ite true true ", b"true", b"))"),
    ],
    "model": [
        (b"(not ", b"true", b")"),
        (b"(", b"", b")"),
        (b"(store ", b"x", b" 0 0)"),
        (b"(let ((x ", b"0", b")) x)"),
    ],
    "trace": [(b"[", b"", b"]"), (b"(", b"", b")")],
    "known": [(b"[", b"", b"]"), (b"*a", b"", b"?")],
    "": [(b"[", b"a", b"]"), (b"{a: ", b"b", b"}"), (b"- ", b"a", b""), (b"? ", b"a", b"")],
}
_KNOWN = b"""# what is known
z3-crash-sigsegv-mk-term-op-bv-udiv-0a1b2c3d4e5f
cvc5-*-check-sat-??????????  # a pattern
z3-exception-*-[0-9a-f]*
*
"""
_WRAPPER = b"""solver: toy
module: toy
package: toy-solver
releases: ">=1.0"
imports: "import json as toy"
theories: [BOOL, BV]
conjunction: "And({*})"
lifecycle: {new-context: "toy.Context()", new: "toy.Solver({ctx})"}
sorts: {SORT_BOOL: "toy.Bool()", SORT_BV: {call: "toy.BV({p0})", old: {is: "toy.bv({p0})", before: "2.0"}}}
special-values: {bv.zero: "0"}
values: {SORT_BV: "toy.value({v}, {sort})", SORT_BOOL: "toy.value({v})"}
constants: {any: "toy.const({name}, {sort})"}
variables: {any: "toy.var({name}, {sort})"}
operators:
  OP_BV_ADD: {plus: "{0} + {1}", radd: {is: "{n0} + {1}", when: [literal-0], weight: 0.5}}
  OP_BV_NOT: "~{0}"
  OP_AND: "toy.And({*})"
  OP_BV_EXTRACT: {is: "toy.extract({i0}, {i1}, {0})", when: "i0<=64"}
actions: {check-sat: "str({solver}.check())", assert-formula: "{solver}.add({0})", get-value: "{solver}.value({0})"}
options:
  - {name: on, type: choice, values: [no, yes, 1]}
  - {name: depth, type: int, min: 0, max: 9, weight: 2, theories: [BV]}
refusals:
  - {class: unsupported, type: ToyError, message: "not (yet )?done"}
profile:
  exclude-operators: [OP_BV_COMP]
  operators: {OP_BV_EXTRACT: {indices: {0: [0, 8]}}}
  sorts: {const: {exclude: [SORT_BOOL]}}
"""
_PROFILE = b"""exclude-operators: [OP_BV_COMP, OP_XOR]
exclude-combinations: {BV: [FP]}
operators: {OP_BV_EXTRACT: {indices: {0: [0, 8]}, literals: {0: small}}, OP_AND: {arity: [2, 3], exclude-sorts: [SORT_BV]}}
sorts: {exclude: [SORT_FF], array-index: {exclude: [SORT_BOOL]}, const: {exclude: [SORT_RM]}}
"""
SCRIPT_OF_MODEL = """(declare-const x Int)(declare-const b Bool)(declare-fun f (Int) Int)(declare-sort U 0)(declare-const u U)
(declare-const a (Array Int Int))(declare-const v (_ BitVec 8))
(declare-const s String)(declare-const r Real)(declare-const d (_ FloatingPoint 5 11))
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)
(assert (and b (> x (f 1)) (= (select a x) 3) (= v #x0f) (= s "a") (< r 1.5) (fp.isNaN d) ((_ is cons) l) (= u u)))(check-sat)
"""
_MODEL = b"""sat
(
  ;; universe for U:
  (declare-fun U!val!0 () U)
  (forall ((x U)) (= x U!val!0))
  (define-fun x () Int 7)
  (define-fun b () Bool true)
  (define-fun f ((x!0 Int)) Int (ite (= x!0 1) (- 5) (let ((y 2)) (+ y x!0))))
  (define-fun u () U U!val!0)
  (define-fun a () (Array Int Int) (store ((as const (Array Int Int)) 0) 7 3))
  (define-fun v () (_ BitVec 8) #x0f)
  (define-fun s () String "a")
  (define-fun r () Real (/ 1.0 3.0))
  (define-fun d () (_ FloatingPoint 5 11) (_ NaN 5 11))
  (define-fun l () L (cons 1 (as nil L)))
)
"""


@cache
def sound(kind: str) -> tuple[bytes, ...]:
    """The sound files of a kind, the same on every machine, in order."""
    own = {"known": _KNOWN, "wrapper": _WRAPPER, "profile": _PROFILE, "model": _MODEL}
    if kind in own:
        return (own[kind],)
    where = {
        "script": "seeds/**/*.smt2",
        "trace": "traces/**/*.trace",
        "machine": "fsm/*.yaml",
        "theory": "fsm/theories/*.yaml",
    }[kind]
    files = sorted(ROOT.glob(where))
    found = [cut(path.read_bytes()) for path in files]
    small = [data for data in found if len(data) <= MOST]
    return tuple(small[:: max(1, len(small) // 400)])


def cut(data: bytes) -> bytes:
    """The first lines of a file."""
    return data if len(data) <= MOST else data[: data.rfind(b"\n", 0, MOST) + 1]


def hostile(kind: str, number: int) -> bytes:
    """The hostile file with this number, always the same."""
    rng = random.Random(f"{kind} {number}")
    data = rng.choice(sound(kind))
    if rng.random() < 0.02:
        return rng.randbytes(rng.randrange(2000))
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choices([change for change, _ in CHANGES], [weight for _, weight in CHANGES])[0](
            kind, data, rng
        )
    return data


# -- changes


def _some(rng: random.Random, count: int) -> tuple[int, int]:
    start = rng.randrange(count + 1)
    return start, min(count, start + rng.choice((1, 1, 2, 5, 20)))


def _bytes(_: str, data: bytes, rng: random.Random) -> bytes:
    """Bytes are removed, doubled, replaced or inserted."""
    start, end = _some(rng, len(data))
    put = rng.choice(
        (
            b"",
            data[start:end] * 2,
            rng.randbytes(end - start),
            rng.choice(_INSERTED) + data[start:end],
        )
    )
    return data[:start] + put + data[end:]


def _pieces(split: Callable[[bytes], list[bytes]]) -> Callable[[str, bytes, random.Random], bytes]:
    def change(_: str, data: bytes, rng: random.Random) -> bytes:
        """Tokens or lines are removed, doubled, exchanged with others, or replaced by words that
        mean something.
        """
        parts = split(data)
        if not parts:
            return rng.choice(_WORDS)
        start, end = _some(rng, len(parts) - 1)
        other, _ = _some(rng, len(parts) - 1)
        choices: Sequence[list[bytes]] = (
            [],
            parts[start:end] * 2,
            [parts[other]],
            [rng.choice(_WORDS)],
            [*parts[start:end], b" ", rng.choice(_WORDS), b" "],
        )
        return b"".join([*parts[:start], *rng.choice(choices), *parts[end:]])

    return change


def _truncated(_: str, data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _nested(kind: str, data: bytes, rng: random.Random) -> bytes:
    """Something nested deeply stands in the place of a token, closed or not."""
    before, inside, behind = rng.choice(_NESTS.get(kind, _NESTS[""]))
    depth = rng.choices(DEPTHS, (40, 40, 15, 5))[0]
    opened = rng.choice((0, 0, 0, 1, -1))
    nest = before * depth + inside + behind * max(0, depth - opened)
    at = rng.randrange(len(data) + 1)
    ends = [found.end() for found in re.finditer(rb"\n", data)] or [0]
    at = rng.choice((at, rng.choice(ends)))
    return data[:at] + (b"py:" if kind == "trace" else b"") + nest + b"\n" + data[at:]


def _numbered(_: str, data: bytes, rng: random.Random) -> bytes:
    """A number becomes another one, huge perhaps."""
    numbers = [found.span() for found in re.finditer(rb"[0-9]+", data)]
    if not numbers:
        return data
    start, end = rng.choice(numbers)
    huge = b"9" * rng.choice((1, 10, 19, 20, 400, 4_001, 4_301, 50_000))
    return (
        data[:start] + rng.choice((b"0", b"-1", huge, b"1", b"2147483648", b"65536")) + data[end:]
    )


def _lines_ended(_: str, data: bytes, rng: random.Random) -> bytes:
    """Other ends of lines, a byte-order mark, another encoding."""
    return rng.choice(
        (
            data.replace(b"\n", b"\r\n"),
            data.replace(b"\n", b"\r"),
            b"\xef\xbb\xbf" + data,
            data.decode("latin-1").encode("utf-16"),
            data.replace(b"\n", b"\x0c"),
            data.replace(b"\n", b" "),
        )
    )


def _spliced(kind: str, data: bytes, rng: random.Random) -> bytes:
    """The beginning of one file and the end of another."""
    other = rng.choice(sound(kind))
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


CHANGES: tuple[tuple[Callable[[str, bytes, random.Random], bytes], float], ...] = (
    (_bytes, 5),
    (_pieces(_PIECE.findall), 6),
    (_pieces(lambda data: data.splitlines(keepends=True)), 3),
    (_truncated, 1),
    (_nested, 0.6),
    (_numbered, 2),
    (_lines_ended, 0.5),
    (_spliced, 0.5),
)
