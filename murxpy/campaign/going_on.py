"""What must stay as it was where a campaign goes on in its folder: its seed, and the two releases
that it compares.
"""

from __future__ import annotations

import secrets

from murxpy.campaign.config import CampaignConfig
from murxpy.campaign.findings.store import Store
from murxpy.errors import InputError


def choose_seed(store: Store, config: CampaignConfig) -> int:
    """The seed of the campaign: the stored one, else that of the user, else a new one. Raises
    InputError where the user wants another one than is stored.
    """
    stored = store.meta().get("seed")
    if stored is None:
        return secrets.randbits(32) if config.seed is None else config.seed
    if config.seed not in (None, stored):
        raise InputError(
            f"the campaign in this folder has seed {stored}, not {config.seed}; leave --seed out "
            "to go on with it, or choose another folder with --out",
            file=str(config.out),
        )
    return int(stored)


def pair_of(config: CampaignConfig) -> str:
    """The names of the two releases that the campaign compares; empty where it compares none."""
    plans = (*config.targets, *config.judges) if config.compare else ()
    return " ".join(plan.target.name for plan in plans)


def refuse_other_pair(store: Store, config: CampaignConfig) -> None:
    """Raise InputError where the campaign in the folder compares other releases than this one, or
    where only one of the two compares any. Folders of earlier versions do not say what they compare.
    """
    stored = store.meta().get("pair")
    if stored not in (None, pair_of(config)):
        had = f"compares {stored}" if stored else "compares no releases"
        raise InputError(
            f"the campaign in this folder {had}; choose another folder with --out",
            file=str(config.out),
        )
