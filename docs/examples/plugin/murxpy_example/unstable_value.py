"""The kind of findings that the check makes. A check whose kind nobody declares works, too: its findings
are taken for wrong answers.
"""

from murxpy.findings.kinds.answers import Wrong
from murxpy.findings.kinds.kind import ByMessage


class UnstableValue(ByMessage, Wrong):
    """The solver gives a term two values in one model."""

    name = "unstable-value"
    label = "gives a term two values in one model"
    rank = 14
    endings = ()
