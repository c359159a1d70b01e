"""The process that runs a solver: session, trace buffer, warm parent. Imports only the standard
library.
"""
