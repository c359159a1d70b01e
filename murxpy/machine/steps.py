"""The steps in which lines of contract mode handle objects of the binding.

Contract mode composes its rules of these steps. A run makes them on the objects of the binding. The
translation of a trace to a program overrides them: there each step writes a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from murxpy.machine.objects import Objects
from murxpy.machine.outcomes import Refused
from murxpy.machine.strangers import STRANGERS
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling
from murxpy.solvers.wrapper import Wrapper


class Steps:
    """The steps, on the public callables of `wrapper` and the `objects` that they gave."""

    wrapper: Wrapper
    objects: Objects

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        """Call a function of this project on objects of the binding."""
        return function(*operands)

    def deferred(self, spelling: Spelling, frame: Frame, args: Sequence[Any] = ()) -> Any:
        """A function without parameters that makes a call."""
        return lambda: spelling.call(args, (), frame)

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        """The results of `count` calls."""
        return [call() for _ in range(count)]

    def stranger(self, name: str) -> Any:
        """A Python object that is none of the solver's, by its name in a trace."""
        return STRANGERS[name]()

    def public(self, name: str) -> Any:
        """The public callable of this name. Raises Refused if this release of the binding does not
        have it.
        """
        callee = self.wrapper.callables.callees.get(name)
        if callee is None:
            raise Refused(
                "unsupported", f"no public callable {name} in this release of {self.wrapper.name}"
            )
        return callee.call

    def of_object(self, name: str) -> bool:
        """True if the callable is a method, so that its first operand is the object of the method."""
        callee = self.wrapper.callables.callees.get(name)
        return callee is not None and callee.owner is not None

    def fits(self, name: str, operands: Sequence[Any]) -> bool:
        """True unless the callable is a method and its first operand is no object of its class."""
        callee = self.wrapper.callables.callees[name]
        return callee.owner is None or (bool(operands) and isinstance(operands[0], callee.owner))

    def constant(self, name: str) -> Any:
        """The member of this name of an enumeration of the binding. Raises Refused if this release
        does not have it.
        """
        if name not in self.wrapper.callables.constants:
            raise Refused(
                "unsupported", f"no constant {name} in this release of {self.wrapper.name}"
            )
        return self.wrapper.callables.constants[name]

    def holds(self, value: Any) -> bool:
        """True if the result of a public callable is an object, and not plain data."""
        return not isinstance(value, (type(None), bool, int, float, str, bytes))

    def handed_over(self, number: int) -> Any:
        """A list with the last reference of the run to an object that a public callable gave."""
        return [self.objects.alive.pop(number)]

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """The result of a public callable; `named` are operands that are passed by their names."""
        return function(*operands, **named)
