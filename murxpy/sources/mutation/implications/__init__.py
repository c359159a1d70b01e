"""Rules of implication: patterns of formulas of which one implies the other, the places of a script
where they keep what is known of its answer, and the rules that follow from the table of operators.
"""
