"""Random scripts whose assertions are full trees: each path from the root of an assertion to a leaf
has the same number of operators. Makes random scripts of full trees, and puts one operator into one
of them.

The idea is that of smtfuzz, the generator of BanditFuzz (Scott, Sudula, Rehman, Mora, Ganesh,
"BanditFuzz: Fuzzing SMT Solvers with Multi-Agent Reinforcement Learning").
"""
