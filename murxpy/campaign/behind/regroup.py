"""Finding out again which buckets of an output folder are one defect."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from murxpy.campaign.behind.process import answer
from murxpy.campaign.behind.requests import Request
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.buckets import Bucket
from murxpy.findings.defects import FILE, defects_text, gains_by_reduction, grouping
from murxpy.findings.folder import Folder
from murxpy.findings.origin import origin
from murxpy.findings.store import Changes, Store
from murxpy.processes.plans import make_plans, usable_request

_SMALLER = ("min.trace", "min.history")


def regroup(out: Path, tell: Callable[[str], None]) -> None:
    """Make the smaller traces that are missing in the output folder `out`, with their programs and
    scripts, and rewrite its file of defects. `tell` gets what the user should read.

    Raises InputError where there is no campaign, or one is running.
    """
    with closing(Store(out, read_only=True)):
        pass  # no folder is made where there is none
    folder = Folder(out)
    try:
        with closing(Store(out)) as store:
            buckets = store.buckets()
            for bucket in filter(_lacks, buckets):
                try:
                    _reduce(out, bucket, tell)
                except MurxpyError as error:
                    tell(f"{bucket.key}: not made smaller: {error}")
                    continue
                store.save(Changes(buckets=[bucket]))
        folder.write(FILE, defects_text(grouping(out).defects(buckets)))
    finally:
        folder.close()


def _lacks(bucket: Bucket) -> bool:
    forms = {form.form for form in bucket.reproducers if form.file}
    return bucket.state == "confirmed" and gains_by_reduction(bucket) and not forms & {*_SMALLER}


def _reduce(out: Path, bucket: Bucket, tell: Callable[[str], None]) -> None:
    """Make the trace of a bucket smaller, rewrite its program and script, and note that in the
    bucket. Raises InputError, TargetError.
    """
    kept = bucket.smallest()
    file = None if kept is None else out / kept.file
    if file is None or kept is None or not kept.confirmed:
        raise InputError("no trace is kept that alone shows it")
    found = origin(file)
    if found is None:
        raise InputError("its campaign had other targets", file=str(file))
    (plan,) = make_plans(usable_request(found.of_traces(), file))
    asked = Request(bucket.key, bucket.kind, bucket.message, str(file), 0, True)
    answered = answer(asked, plan)
    failed = next(
        (one.note for one in answered.reproducers if one.form in _SMALLER and not one.file), ""
    )
    if failed:
        raise InputError(failed)
    bucket.reproducers = tuple(
        replace(one, file=str(Path(one.file).relative_to(out)) if one.file else "")
        for one in answered.reproducers
    )
    tell(f"{bucket.key}: {answered.before} lines to {answered.after}")
