"""Random scripts whose assertions are full trees: each path from the root of an assertion to a leaf
has the same number of operators. How they are made, and how one operator is put into one of them.

The idea is that of smtfuzz, the generator of BanditFuzz (Scott, Sudula, Rehman, Mora, Ganesh,
"BanditFuzz: Fuzzing SMT Solvers with Multi-Agent Reinforcement Learning").
"""
