"""Actions: each is one class that draws its operands, carries itself out, and reads its line
back.
"""
