"""Figures, times, seeds and foreign text as all reports write them."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from murxpy.foreign import escaped
from murxpy.plugins import used

if TYPE_CHECKING:  # errors are told by this module, also where one of these cannot be imported
    from murxpy.records.events import Started
    from murxpy.records.finding import Reproducer
    from murxpy.records.snapshot import BucketView

_LABEL = 12  # columns of a label
# An underscore is markup only where it can begin an emphasis: not before a blank, and not in a word.
_EMPHASIS = r"(?<!\w)_+(?![\s_])"
_MARKUP = re.compile(rf"[\\`*{{}}\[\]<>|~@&]|{_EMPHASIS}|#(?=\d)")
# What is markup in running text: an asterisk not before a blank, a backslash only before a punctuation
# mark, `<` only before what may begin a tag, `&` only before an entity, `#` before a number or at the
# end, and what may begin a link; at the beginning also what begins a block.
_IN_PROSE = re.compile(
    rf"[`\[\]~@]|\*(?!\s)|\\(?=[!-/:-@\[-`{{-~])|{_EMPHASIS}|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
    r"|#(?=#*$|\d)|://|www\."
)
_BLOCK = re.compile(r"[>#=+*-]|\d+[.)]$")
_BLANKS = re.compile(r"\s+", re.ASCII)


def clock(seconds: float) -> str:
    """A span of time as a clock: `0:07`, `1:02:03`, `3 d 04:05:06`."""
    whole = max(0, int(seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours:02}:{minutes:02}:{whole % 60:02}"
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def brief(seconds: float) -> str:
    """A short span of time with its unit: `0.3 s`, `12 s`; from a minute on as a clock."""
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 59.5 else clock(seconds)


def rate(per_second: float) -> str:
    """A rate with about three digits: `1,204/s`, `98/s`, `9.5/s`, `0.04/s`."""
    digits = 0 if per_second >= 99.5 or per_second == 0 else 1 if per_second >= 1 else 2
    return f"{per_second:,.{digits}f}/s"


def percent(share: float | None) -> str:
    """A share of one as a whole percentage: `78 %`; `-` for None. A share of less than one is at most
    99.9 %.
    """
    if share is None:
        return "-"
    return f"{int(1000 * share) / 10:.1f} %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def amount(number: int, noun: str) -> str:
    """A number of things: `1 bucket`, `2,048 buckets`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def judged_word(name: str) -> str:
    """The word for the checks that judges were asked, by the key of their counter. The word is not
    `undecided`, since reports say `decided` of the checks of targets.
    """
    return "left open" if name == "undecided" else name


def seed_text(seed: int) -> str:
    """The seed of a run in bare hexadecimal digits, as in traces, file names and `--run-seed`."""
    return f"{seed:x}"


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, safe on any terminal: each run of ASCII blanks is one blank, what a
    terminal obeys is escaped, and the line is cut to `limit` characters.
    """
    shown = escaped(" ".join(_BLANKS.split(text)).strip())
    return shown if limit is None or len(shown) <= limit else shown[: max(0, limit - 3)] + "..."


def cut(text: Text, columns: int, dots: str = "...") -> Text:
    """The text, cut to a number of columns, with dots where something was cut."""
    if text.cell_len > columns:
        text = text.copy()
        text.truncate(max(0, columns - len(dots)), overflow="crop")
        text.append(dots[:columns])
    return text


def xml_text(text: str) -> str:
    """The text as it stands in an SVG file. A title may have several lines."""
    return escape(escaped(text, keep="\n"))


def plain(text: str) -> str:
    """The text of a stranger for Markdown: nothing in it is markup, a mention or a link."""
    return _MARKUP.sub(lambda found: _entities(found[0]), escaped(text))


def _entities(text: str) -> str:
    return "".join(f"&#{ord(letter)};" for letter in text)


def prose(text: str) -> str:
    """The text of a stranger as running text in Markdown, which people also copy as it stands, such as
    into the title of an issue. Each call, or other words, in which something would be markup stands
    between backticks: that is shown as code, and nothing in it is markup.
    """
    words = " ".join(escaped(text).split()).replace("`", "'").split(" ")
    found: list[str] = []
    at = 0
    while at < len(words):
        end, depth = at + 1, _opened(words[at])
        while depth > 0 and end < len(words):
            depth += _opened(words[end])
            end += 1
        if depth > 0:  # nothing closes the bracket
            end = at + 1
        piece, behind = " ".join(words[at:end]), "" if end == len(words) else " "
        marked = _IN_PROSE.search(piece + behind) or (not at and _BLOCK.match(piece))
        found.append(_code(piece) if marked else piece)
        at = end
    return " ".join(found)


def _opened(word: str) -> int:
    """How many more brackets a word opens than it closes."""
    return word.count("(") + word.count("[") - word.count(")") - word.count("]")


def _code(piece: str) -> str:
    """Words between backticks, but for the mark of punctuation behind them."""
    end = len(piece.rstrip(",:"))
    return f"`{piece[:end]}`{piece[end:]}" if end else f"`{piece}`"


def fenced(text: str, language: str) -> str:
    """A text as a block of Markdown between fences, which are longer than those in the text."""
    runs = re.findall(r"`+", text)
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    shown = "\n".join(escaped(row, keep="\t") for row in text.split("\n"))
    return f"{fence}{language}\n{shown}\n{fence}\n"


def target_names(started: Started) -> str:
    """The targets with their versions: `z3 4.15.0, cvc5 1.2.1`."""
    return ", ".join(with_version(target.name, target.version) for target in started.targets)


def with_version(name: str, version: str) -> str:
    """The name of a target with its version, where the name does not say it: `z3 4.15.0`, `z3@4.13.0`."""
    said = name.partition("[")[0].endswith(f"@{version}")
    return name if said or not version else f"{name} {version}"


def trace_path(out: str, bucket: BucketView) -> str | None:
    """The path of the smallest trace of a bucket; None when no trace is kept."""
    return str(PurePath(out, bucket.trace)) if bucket.trace else None


def replay_command(path: str) -> str:
    """The command that replays a trace, with the plug-ins in use, ready to be pasted into a shell."""
    return shlex.join(
        ["murxpy", *(word for name in used() for word in ("--plugin", name)), "replay", path]
    )


def form_word(form: Reproducer) -> str:
    """Whether a form of a finding shows the finding: `yes`, `no` or `untried`; `none` if the finding
    cannot be written in this form.
    """
    if not form.file:
        return "none"
    return {True: "yes", False: "no", None: "untried"}[form.reproduces]


def labelled(facts: Iterable[tuple[str, str]], width: int) -> Iterator[Text]:
    """The lines of facts behind their labels, folded to `width` columns. No word is cut."""
    for label, text in facts:
        rows = textwrap.wrap(
            text, max(_LABEL, width - _LABEL), break_on_hyphens=False, break_long_words=False
        )
        for at, row in enumerate(rows):
            yield Text.assemble((f"{'' if at else label:<{_LABEL}}", "cyan"), row)


def heading(console: Console, text: str) -> None:
    """Print a heading below an empty line."""
    console.print()
    console.print(Text(text, "bold"))
