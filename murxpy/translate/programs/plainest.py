"""The plainest spelling of a call: what a person would write."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, SpellingSet
from murxpy.translate.expressions import HELPER, SourceWrapper

PLAIN = "plain-"  # how the names of spellings begin that stand in the section `plain`


class PlainWrapper(SourceWrapper):
    """A wrapper whose calls return their own source, with the spellings of its section `plain`
    before all others.
    """

    def __init__(self, data: dict[str, Any], catalogue: Catalogue, release: str) -> None:
        self.plain: dict[str, Any] = data.get("plain") or {}
        # spellings of which only the solver can say whether they fit
        self.guarded: set[Spelling] = set()
        super().__init__(data, catalogue, release)

    def _build(self, section: str) -> None:
        own = self.plain.get(section) or {}
        entries = self.data.get(section) or {}
        self.data = {
            **self.data,
            section: {
                key: {**_forms(own.get(key), PLAIN), **_forms(entries.get(key), "")}
                for key in dict.fromkeys([*entries, *own])
            },
        }
        super()._build(section)

    def _spelling(self, section: str, key: str, name: str, form: Any) -> Spelling | None:
        spelling = super()._spelling(section, key, name, form)
        conditions = [] if isinstance(form, str) else form.get("when") or []
        texts = [conditions] if isinstance(conditions, str) else conditions
        if spelling is not None and any(text.startswith("h.") for text in texts):
            self.guarded.add(spelling)
        return spelling


def _forms(entry: Any, prefix: str) -> dict[str, Any]:
    if entry is None:
        return {}
    forms = {"default": entry} if isinstance(entry, str) or "is" in entry else entry
    return {f"{prefix}{name}": form for name, form in forms.items()}


def plainest(
    spellings: SpellingSet, frame: Frame, wanted: str | None, guarded: Collection[Spelling] = ()
) -> Spelling | None:
    """The spelling that a person would choose for the call in `frame`: one of the section `plain`,
    or else one with a Python number for a literal, or else the first one, if none of them needs a
    helper. If all do, it is the spelling `wanted`, or the first one. Those that are `guarded` are
    left out, except for the spelling `wanted`.
    """
    fitting = [
        spelling
        for spelling in spellings.spellings
        if (spelling.name == wanted or spelling not in guarded) and spelling.fits(frame)
    ]
    own = [spelling for spelling in fitting if spelling.name.startswith(PLAIN)]
    same = [spelling for spelling in own if spelling.name == f"{PLAIN}{wanted}"]
    alone = [
        spelling
        for spelling in fitting
        if spelling.weight > 0 and not HELPER.search(spelling.template.text)
    ]
    numbers = [spelling for spelling in alone if _of_numbers(spelling)]
    named = spellings.named(wanted) if wanted is not None else None
    rest = [named] if named is not None else fitting
    return next(iter([*same, *own, *numbers, *alone, *rest]), None)


def _of_numbers(spelling: Spelling) -> bool:
    return any(
        placeholder and text[0] == "n" and text[1:].isdigit()
        for text, placeholder in spelling.template.parts
    )
