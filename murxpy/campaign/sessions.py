"""The settings that must not change when a campaign continues in its folder: its seed, its lag, its shard, the two
releases that it compares, and the scripts that it enumerates.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from murxpy.campaign.runs import Part
from murxpy.errors import InputError
from murxpy.findings.store import MERGED, Store
from murxpy.learning.guide import MOST, Lag
from murxpy.records.config import CampaignConfig


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


def choose_part(store: Store, config: CampaignConfig) -> Part:
    """The part of the campaign that is made in this folder, and its lag. Raises InputError where the user
    wants another one than is stored.
    """
    number, shards = _choose_shard(store, config)
    return Part(Lag(_choose_lag(store, config), shards), number)


def _choose_shard(store: Store, config: CampaignConfig) -> tuple[int, int]:
    meta = store.meta()
    stored, wanted = meta.get("shard"), config.shard
    if stored == MERGED:
        if not config.resume:
            raise InputError(
                "this folder was merged from shards, and no runs are made in it: 'murxpy fuzz' goes on in the "
                "folders of the shards",
                file=str(config.out),
            )
        return 1, 1
    if stored is None:
        stored = (1, 1) if "seed" in meta or wanted is None else wanted
    if wanted is not None and tuple(stored) != wanted:
        raise InputError(
            f"the campaign in this folder has shard {stored[0]}/{stored[1]}, not {wanted[0]}/{wanted[1]}; leave "
            "--shard out to go on with it, or choose another folder with --out",
            file=str(config.out),
        )
    return int(stored[0]), int(stored[1])


def _choose_lag(store: Store, config: CampaignConfig) -> int:
    meta = store.meta()
    stored = meta.get("lag")
    if stored is None and "seed" in meta:
        stored = MOST  # an earlier release began the campaign
    if stored is None:
        return MOST if config.lag is None else config.lag
    if config.lag not in (None, stored):
        raise InputError(
            f"the campaign in this folder has lag {stored}, not {config.lag}; leave --lag out to go on with it, "
            "or choose another folder with --out",
            file=str(config.out),
        )
    return int(stored)


def recorded_settings(config: CampaignConfig) -> dict[str, str]:
    """Return the settings that the folder keeps of the campaign, for `refuse_another`."""
    return {"pair": _pair_of(config), "enumerated": _scripts_of(config)}


def refuse_another(store: Store, config: CampaignConfig) -> None:
    """Raise InputError where the campaign in the folder compares other releases or enumerates other
    scripts than this one.
    """
    _refuse_other_pair(store, config)
    _refuse_other_scripts(store, config)


def _pair_of(config: CampaignConfig) -> str:
    """The names of the two releases that the campaign compares; empty where it compares none."""
    plans = (*config.targets, *config.judges) if config.compare else ()
    return " ".join(plan.target.name for plan in plans)


def _refuse_other_pair(store: Store, config: CampaignConfig) -> None:
    """Raise InputError where the campaign in the folder compares other releases than this one, or
    where only one of the two compares any. Folders of earlier versions do not say what they compare.
    """
    stored = store.meta().get("pair")
    if stored not in (None, _pair_of(config)):
        had = f"compares {stored}" if stored else "compares no releases"
        raise InputError(
            f"the campaign in this folder {had}; choose another folder with --out",
            file=str(config.out),
        )


def _scripts_of(config: CampaignConfig) -> str:
    """Return a text that identifies the scripts that the campaign enumerates: the names of the
    grammars, and a digest of their rules and of the blocks; empty if it enumerates none.
    """
    enumerated = next((plan.setup.get("enumeration") for plan in config.targets), None)
    if not enumerated:
        return ""
    facts: dict[str, Any] = {name: enumerated[name] for name in ("at", "take", "block")}
    facts |= {name: True for name in ("simplify", "canonical") if enumerated.get(name)}
    facts["grammars"] = [_rules(plain) for plain in enumerated["grammars"]]
    digest = blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=6).hexdigest()
    return f"{','.join(plain['grammar'] for plain in enumerated['grammars'])} {digest}"


def _rules(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a grammar that decide its scripts, without the places where they are written."""
    texts = {name: [text for text, _ in plain[name]] for name in ("declare", "script")}
    rules = {name: [text for text, _ in rules] for name, rules in plain["rules"].items()}
    return {**texts, "rules": list(rules.items()), "logic": plain["logic"]}


def _refuse_other_scripts(store: Store, config: CampaignConfig) -> None:
    """Raise InputError where the campaign in the folder enumerates other scripts than this one, or
    where only one of the two enumerates any. The blocks that are done are known by their numbers.
    """
    stored = store.meta().get("enumerated")
    if stored in (None, _scripts_of(config)):
        return
    had = f"other scripts ({stored.split()[0]})" if stored else "no scripts"
    raise InputError(
        f"the campaign in this folder enumerates {had}: another grammar, index, number of scripts or "
        "block; choose another folder with --out"
        if stored
        else f"the campaign in this folder enumerates {had}; choose another folder with --out",
        file=str(config.out),
    )
