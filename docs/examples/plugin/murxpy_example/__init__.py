"""An example of a plug-in of murxpy: a solver's wrapper, a check of answers with the kind of findings
that it makes, a mutation fuzzer, and a writer of reports.
"""

from pathlib import Path

WRAPPER = Path(__file__).with_name("truthtable.yaml")
