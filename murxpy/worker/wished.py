"""The options that the user wants in every run: which of them a solver object takes, and which are
parameters of the solver's whole process.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue
from murxpy.machine import solve
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.solvers.facts import Pairs
from murxpy.solvers.parameters import VALUES, expected_value
from murxpy.solvers.wrapper import Wrapper


def scratch(wrapper: Wrapper, catalogue: Catalogue, parameters: Pairs = ()) -> Run:
    """A run with a new solver whose lines are not kept. Raises Refused and Stopped."""
    run = Run(wrapper, catalogue, 0, lambda text: None)
    run.parameters = parameters
    solve.new(run, 0)
    return run


def takes(run: Run, name: str, value: str) -> bool:
    """True if the solver of `run` lets the option be set."""
    return not _refusal(run, name, value)


def settle(
    wrapper: Wrapper, catalogue: Catalogue, wished: Sequence[Sequence[str]]
) -> tuple[list[list[str]], Pairs]:
    """The options of `wished`, and those parameters of the process. Each is set once, so that one
    that is misspelt is an error now, and not a refusal in every run.

    Options have the names of the API: scripts may have a prefix before these. What a solver object
    takes is an option, also if the process has a parameter of the same name. Where other parameters
    lead to a solver that does not take it, it becomes a parameter, too. Raises InputError.
    """
    options: list[list[str]] = []
    parameters: list[tuple[str, str]] = []
    if not wished:
        return options, ()
    run = scratch(wrapper, catalogue)
    for whole, value in wished:
        name = whole.removeprefix(wrapper.facts.script_option_prefix)
        _check_option(wrapper, name, value)
        refusal = _refusal(run, name, value)
        if not refusal:
            options.append([name, value])
        elif whole in wrapper.parameters.types:
            _check_type(wrapper, whole, value, wrapper.parameters.types[whole])
            parameters.append((whole, value))
        else:
            run.forget()
            raise _unknown(wrapper, whole, value, refusal)
    run.forget()
    refused = _refused(wrapper, catalogue, options, tuple(parameters)) if parameters else []
    for name, value in refused:
        whole = wrapper.facts.script_option_prefix + name
        _check_type(wrapper, whole, value, wrapper.parameters.types[whole])
        parameters.append((whole, value))
    return [option for option in options if option not in refused], tuple(parameters)


def _refused(
    wrapper: Wrapper, catalogue: Catalogue, options: list[list[str]], parameters: Pairs
) -> list[list[str]]:
    """The options that a solver in a process with the parameters does not take, all of which the
    process has as parameters. Raises InputError where it does not, and where such a solver cannot
    check anything.
    """
    words = ", ".join(f"{name}={value}" for name, value in parameters)
    try:
        run = scratch(wrapper, catalogue, parameters)
        solve.check_sat(run, 0)
    except (Refused, Stopped) as error:
        raise InputError(
            f"{wrapper.name} {wrapper.release} has no usable solver with {words}: {error}"
        ) from None
    refused = []
    try:
        for name, value in options:
            refusal = _refusal(run, name, value)
            if not refusal:
                continue
            if wrapper.facts.script_option_prefix + name not in wrapper.parameters.types:
                raise InputError(
                    f"{wrapper.name} {wrapper.release} does not take the option {name}={value} beside {words}: "
                    f"{refusal}"
                )
            refused.append([name, value])
    finally:
        run.forget()
        wrapper.parameters.reset()
    return refused


def _refusal(run: Run, name: str, value: str) -> str:
    """Why the solver of `run` does not take the option; empty where it does."""
    try:
        solve.set_option(run, str(name), value, 0)
    except (Refused, Stopped) as error:
        return str(error) or "it refuses the option"
    return ""


def _check_option(wrapper: Wrapper, name: str, value: str) -> None:
    """Raise InputError where the wrapper says that the option takes another type of value, or forbids
    it.
    """
    found = wrapper.facts.forbidden.option(name)
    if found:
        raise InputError(f"{wrapper.name}: {found}")
    types = {option.name: option.type for option in wrapper.facts.options or ()}
    kind = types.get(name, "")
    if kind not in VALUES:  # the process may know the type of what the wrapper lists as a choice
        kind = wrapper.parameters.types.get(wrapper.facts.script_option_prefix + name, "")
    _check_type(wrapper, name, value, kind)


def _check_type(wrapper: Wrapper, name: str, value: str, kind: str) -> None:
    expected = expected_value(kind, value)
    if expected:
        raise InputError(f"{wrapper.name}: {name}={value[:80]}: expected {expected}")


def _unknown(wrapper: Wrapper, name: str, value: str, refusal: str) -> InputError:
    known = [*wrapper.parameters.types, *(option.name for option in wrapper.facts.options or ())]
    return InputError(
        f"{wrapper.name} {wrapper.release} does not take the option {name}={value}: {refusal}"
        f"{nearest(name, known)}"
    )
