"""A script in which a question for the model follows each check, and no other question is left."""

from __future__ import annotations

from collections.abc import Iterator

from murxpy.smtlib.syntax.lexer import solid, symbol, tokenize

_MODELS = "(set-option :produce-models true)"
# the output of these commands would stand between an answer and its model
_ASKING = ("get-", "echo", "eval", "display", "simplify")


def asking_for_models(text: str, name: str) -> str:
    """Return the script `text` with `(get-model)` behind each check. Each command keeps its line,
    and `name` is the name of the script in messages.

    Raises InputError if `text` cannot be split into tokens.
    """
    pieces, done = [_MODELS], 0
    for start, end, words in _commands(text, name):
        command = symbol(words[0]) if words else ""
        pieces.append(text[done:start])
        done = end
        if command.startswith(_ASKING) or words[:2] == ["set-option", ":produce-models"]:
            pieces.append("\n" * text.count("\n", start, end))
            continue
        pieces.append(text[start:end])
        if command.startswith("check-sat"):
            pieces.append("(get-model)")
        elif command == "reset":
            pieces.append(_MODELS)
    return "".join([*pieces, text[done:]])


def _commands(text: str, name: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield, for each command of a script, where it begins and ends in the text, and its first
    tokens.
    """
    depth, start = 0, 0
    words: list[str] = []
    for token, at in zip(tokenize(text, name), solid(text), strict=True):
        if token == "(" and depth == 0:
            start, words = at, []
        elif depth > 0 and len(words) < 2:
            words.append(token)
        depth += (token == "(") - (token == ")")
        if token == ")" and depth == 0:
            yield start, at + 1, words
