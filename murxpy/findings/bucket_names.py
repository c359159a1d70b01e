"""Buckets as users name them: by their folder, or by the beginning of their key."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from murxpy.errors import InputError, nearest
from murxpy.findings.buckets import Bucket
from murxpy.findings.folder import Folder, read_if_there
from murxpy.findings.store import FILE, Changes, Store, read_buckets
from murxpy.records.finding import Reproducer

_MOST = 8  # buckets that an error names


def is_bucket(folder: Path) -> bool:
    """Whether a folder is that of a bucket, `OUT/findings/BUCKET`."""
    whole = folder.absolute()
    return whole.parent.name == "findings" and (whole.parent.parent / FILE).is_file()


def bucket_named(name: str, out: Path) -> Path:
    """The folder of the one bucket of the campaign in `out` whose key begins with `name`. A whole key
    names its bucket, although others may begin with it. Raises InputError, which names the candidates,
    or says that the campaign is damaged.
    """
    try:
        keys = sorted(bucket.key for bucket in read_buckets(out))
    except InputError:
        if (out / FILE).is_file():
            raise
        raise InputError(
            "there is no such file or folder, and no campaign here of which it could name a bucket: name the "
            "folder of a campaign with --out",
            file=name if not out.is_dir() else f"{name} in {out}",
        ) from None
    found = [key for key in keys if key == name] or [key for key in keys if key.startswith(name)]
    if not found:
        hint = nearest(name, keys) or f"; its buckets are {_some(keys)}"
        raise InputError(f"no bucket of {out} begins with '{name}'{hint if keys else ''}")
    if len(found) > 1:
        raise InputError(f"{len(found)} buckets of {out} begin with '{name}': {_some(found)}")
    return out / "findings" / found[0]


def bucket_of(file: Path) -> Bucket | None:
    """The bucket of the file `OUT/findings/BUCKET/FILE`; None for a file that no campaign keeps."""
    folder = file.absolute().parent
    if not is_bucket(folder):
        return None
    return next((one for one in read_buckets(folder.parent.parent) if one.key == folder.name), None)


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:_MOST]) + (", ..." if len(keys) > _MOST else "")


def kept_trace(folder: Path, *, smaller: bool = True) -> Path:
    """The file that shows the finding of the bucket in `folder`: with `smaller` its smaller trace if
    there is one, or the smaller traces of several runs, else the smallest trace that shows it alone, else
    the runs that must come before it.
    Raises InputError.
    """
    whole = folder.absolute()
    out = whole.parent.parent
    if not (out / FILE).is_file():
        raise InputError("expected a trace, a script, or OUT/findings/BUCKET", file=str(folder))
    bucket = next((bucket for bucket in read_buckets(out) if bucket.key == whole.name), None)
    file = None if bucket is None else trace_file(bucket, out, smaller)
    if file is None:
        raise InputError("this campaign has no such bucket with a trace", file=str(folder))
    return folder / file.name


def kept_form(trace: Path, form: str) -> str | None:
    """The text of the `form` of a finding (`python`, `smt2`) that its campaign saw to show it, for a
    trace in the folder of a bucket. None where there is none.
    """
    kept = written_form(trace, form)
    return kept[1] if kept is not None and kept[0].reproduces else None


def written_form(trace: Path, form: str) -> tuple[Reproducer, str] | None:
    """The `form` of a finding that its campaign wrote, whether it shows the finding or not, with its
    text. None where there is none.
    """
    bucket = bucket_of(trace)
    found = () if bucket is None else bucket.reproducers
    kept = next((one for one in found if one.form == form and one.file), None)
    text = None if kept is None else read_if_there(trace.with_name(Path(kept.file).name))
    return None if kept is None or text is None else (kept, text)


def keep_forms(folder: Path, forms: Sequence[Reproducer]) -> None:
    """Note the forms in which the finding of the bucket in `folder` is written, in the database of its
    campaign. Raises InputError, also while the campaign is running: it would overwrite the note.
    """
    out = folder.absolute().parent.parent
    opened = Folder(out)
    with closing(opened), closing(Store(out)) as store:
        bucket = next((bucket for bucket in store.buckets() if bucket.key == folder.name), None)
        if bucket is None:
            raise InputError("this campaign has no such bucket", file=str(folder))
        bucket.reproducers = tuple(
            replace(one, file=f"findings/{folder.name}/{Path(one.file).name}" if one.file else "")
            for one in forms
        )
        store.save(Changes(buckets=[bucket]))


def trace_file(bucket: Bucket, out: Path, smaller: bool = True) -> Path | None:
    """The trace of a bucket of the campaign in folder `out` that shows its finding best, as `kept_trace`
    says; None where there is none.
    """
    forms = ("min.trace", "min.history")
    written = [one.file for one in bucket.reproducers if one.form in forms and one.reproduces]
    if smaller and written and (out / written[0]).is_file():
        return out / written[0]
    kept = bucket.smallest()
    if kept is None:
        return None
    trace = out / kept.file
    small, history = trace.with_suffix(".min.trace"), trace.with_suffix(".history")
    if smaller and small.is_file():
        return small
    return history if history.is_file() and not kept.confirmed else trace
