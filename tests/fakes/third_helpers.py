"""Helpers of the third solver's wrapper."""


def negation(context, term):  # type: ignore[no-untyped-def]
    """Not `term`."""
    return context.mk_op("not", [term])
