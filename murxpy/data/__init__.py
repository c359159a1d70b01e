"""The data folders: their files are found, decoded strictly, checked, and handed on as plain data
that JSON carries unchanged.
"""

from murxpy.data.folders import data_folder
from murxpy.data.machines import inspect_machine, load_machine, machine_names
from murxpy.data.theories import added_theories
from murxpy.data.wrappers import (
    default_judges,
    importable_names,
    is_installed,
    is_same_solver,
    load_catalogue,
    load_profile,
    load_wrapper,
    merge_profile,
    shipped_names,
    with_dialect,
    wrapper_names,
)

__all__ = [
    "added_theories",
    "data_folder",
    "default_judges",
    "importable_names",
    "inspect_machine",
    "is_installed",
    "is_same_solver",
    "load_catalogue",
    "load_machine",
    "load_profile",
    "load_wrapper",
    "machine_names",
    "merge_profile",
    "shipped_names",
    "with_dialect",
    "wrapper_names",
]
