"""The options of the commands that run a campaign, as typed values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from murxpy.campaign.asked import CampaignOptions

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Kind = TypeVar("Kind", bound=DataclassInstance)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions(CampaignOptions):
    """The options of a command: what its campaign is asked for, what is printed of it, and the one run
    that is made in the campaign's place.
    """

    as_json: bool = False
    statistics: bool = False
    run_seed: int | None = None
    gcov: Path | None = None


def taken(kind: type[Kind], given: dict[str, Any]) -> Kind:
    """The options of one kind, taken out of the keyword arguments `given` that click passes to a
    command. An option that the command lacks has its default.
    """
    names = [field.name for field in fields(kind) if field.name in given]
    return kind(**{name: given.pop(name) for name in names})
