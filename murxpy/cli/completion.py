"""`murxpy completion`: the script with which a shell completes commands, options and their values."""

from __future__ import annotations

import click

from murxpy.cli import murxpy
from murxpy.cli.completing import SHELLS, script


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes the commands and options of murxpy, the names of
    targets and theories, and the buckets of the campaign in --out.

    \b
    eval "$(murxpy completion bash)"              # in ~/.bashrc
    eval "$(murxpy completion zsh)"               # in ~/.zshrc, behind compinit
    murxpy completion fish > ~/.config/fish/completions/murxpy.fish
    """
    click.echo(script(shell, murxpy), nl=False)
