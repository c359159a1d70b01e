"""The first code that runs in a target's interpreter, which need not be the one murxpy is installed
in. The module is run as `python -I boot.py FOLDER-OF-MURXPY MAJOR.MINOR SUPERVISOR-PID CONTROL-FD
SETUP-FD` as a warm parent, and as `python -I boot.py FOLDER-OF-MURXPY MAJOR.MINOR once SETUP-FILE
TRACE-FILE` to replay one trace in this very process; with `program` in the place of `once`, the last file is a
program of a finding, which is run. The module makes the package known without putting
the folder beside it on the path, so that nothing else installed there can be imported. Its code keeps
to syntax that any Python 3 reads, so that a wrong interpreter gets a clear answer.
"""

import gc
import importlib.util
import json
import os
import sys


def refuse(text: str) -> None:
    """Report an error to the supervisor in place of a loaded solver. `text` says why this interpreter
    cannot run murxpy; the exit code is that of a target that cannot be used.
    """
    body = json.dumps({"error": text, "exit-code": 4}).encode()
    control, setup = int(sys.argv[4]), int(sys.argv[5])
    os.ftruncate(setup, 0)
    os.pwrite(setup, body, 0)
    os.write(control, b'{"loaded": false}')


def register(folder: str) -> None:
    """Import the package murxpy from `folder` without adding its parent folder to `sys.path`."""
    spec = importlib.util.spec_from_file_location(
        "murxpy", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["murxpy"] = module
    spec.loader.exec_module(module)


def boot() -> None:
    """Check the version of the interpreter, then run the warm parent or replay one trace, as the
    command line says.
    """
    folder, wanted, supervisor, first, second = sys.argv[1:6]
    found = "%d.%d" % sys.version_info[:2]  # noqa: UP031
    if found != wanted:
        text = "its interpreter is Python %s, murxpy runs on Python %s; make the environment with Python %s"
        refuse(text % (found, wanted, wanted))
        return
    gc.disable()  # loading leaves hardly any garbage, and the session collects when it is complete
    register(folder)
    from murxpy.worker import parent

    if supervisor == "once":
        parent.once(first, second)
    elif supervisor == "program":
        gc.enable()  # as it is where people run it
        parent.program(first, second)
    else:
        parent.main(int(supervisor), int(first), int(second))


if __name__ == "__main__":
    boot()
