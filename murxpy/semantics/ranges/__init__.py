"""Abstract values, and backward rules: which values an argument may have so that its parent's value
stays in a range.
"""
