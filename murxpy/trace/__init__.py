"""Traces: their grammar, writing one before each call, replaying one."""
