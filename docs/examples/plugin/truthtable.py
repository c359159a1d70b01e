"""A solver of Boolean formulas that tries all values, with a planted mistake: it forgets its model when
it is asked for a value.
"""

import itertools

__version__ = "1.0"


class Context:
    def __init__(self):
        self.names = []

    def mk_const(self, sort, name):
        self.names.append(name)
        return lambda values: values.get(name, False)


class Solver:
    def __init__(self, context):
        self.context, self.asserted, self.model = context, [], {}

    def add(self, term):
        self.asserted.append(term)

    def check(self):
        names = self.context.names
        if len(names) > 10:
            return "unknown"
        for chosen in itertools.product((True, False), repeat=len(names)):
            values = dict(zip(names, chosen))
            if all(term(values) for term in self.asserted):
                self.model = values
                return "sat"
        return "unsat"

    def value(self, term):
        value, self.model = term(self.model), {}
        return value
