"""`webagent-dev models`: lists the models that are configured or within reach, and tries them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import format_option
from webagent_dev.terminal import Console
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_site.config.llm import LlmConfig
    from webagent_site.llm.trial import Trial


@click.command("models")
@click.argument("root", required=False)
@click.option(
    "--model",
    "names",
    multiple=True,
    metavar="PROVIDER:MODEL",
    help="List this model instead of the configured one. May be given several times.",
)
@click.option(
    "--try",
    "wants_trial",
    is_flag=True,
    help="Send one small request to each model, and report what it can do.",
)
@format_option
@run_command
def command(
    console: Console, root: str | None, names: tuple[str, ...], wants_trial: bool, style: str
) -> int:
    """List the models that are configured or within reach, and try them.

    The model of the site in ROOT (by default this folder) comes first, and then its fallback: where
    it is, whether the variable of its key is set, how long a conversation may be, and what it costs.
    Then come the providers, with the variables of their keys. With --try the exit code is 1 if a model does not
    reply. A trial costs what a short message costs.

    \b
    Example:
      webagent-dev models
      webagent-dev models my-site --try
      webagent-dev models --model ollama:qwen3 --model openai:gpt-5-mini --try
    """
    from webagent_dev.config.resolve import configured_llm

    found = [configured_llm(root, llm_model=name) for name in names or (None,)]
    models = [each for llm in found if llm is not None for each in llm.models]
    trials = _try_all(models) if wants_trial else [None] * len(models)
    if style == "json":
        console.line(json.dumps(_data(models, trials), indent=2, ensure_ascii=False))
    else:
        _write(console, models, trials)
    return 1 if any(trial is not None and trial.error for trial in trials) else 0


def _try_all(models: Sequence[LlmConfig]) -> list[Trial | None]:
    """Try one model after the other; standard error shows which one is under way."""
    from webagent_site.llm.trial import try_model

    trials: list[Trial | None] = []
    is_terminal = sys.stderr.isatty()
    for llm in models:
        click.echo(f"trying {printable(llm.name, 100)} …", nl=not is_terminal, err=True)
        try:
            trials.append(None if llm.provider is None else asyncio.run(try_model(llm)))
        finally:
            if is_terminal:
                click.echo("\r\x1b[K", nl=False, err=True)
    return trials


def _data(models: Sequence[LlmConfig], trials: Sequence[Trial | None]) -> dict[str, Any]:
    from webagent.llm.known_models import AS_OF
    from webagent.llm.providers import PROVIDERS

    listed = []
    for llm, trial in zip(models, trials, strict=True):
        known = llm.known
        price = known.price
        listed.append(
            {
                "model": llm.name,
                "role": llm.role,
                "base_url": llm.base_url or None,
                "api_key_env": llm.api_key_env or None,
                "api_key_set": bool(llm.api_key),
                "context_tokens": known.context_tokens,
                "prices": price
                and {
                    "prompt": str(price.prompt),
                    "completion": str(price.completion),
                    "cached": str(price.cached),
                },
                "as_of": AS_OF if price and not llm.price else None,
                "trial": None if trial is None else trial.to_dict(),
            }
        )
    providers = [
        {
            "provider": provider.name,
            "base_url": provider.base_url,
            "api_key_env": provider.api_key_env or None,
            "api_key_set": bool(os.environ.get(provider.api_key_env, "").strip()),
        }
        for provider in PROVIDERS.values()
    ]
    return {"models": listed, "providers": providers}


def _write(console: Console, models: Sequence[LlmConfig], trials: Sequence[Trial | None]) -> None:
    from webagent.llm.providers import PROVIDERS

    if not models:
        console.labelled(
            "model", 'not configured: write `model = "provider:model"` under `[llm]`, or `--model`'
        )
    for llm, trial in zip(models, trials, strict=True):
        console.labelled(llm.role, printable(llm.name, 200))
        console.labelled("at", printable(llm.base_url) or "the page, where `--try` cannot reach it")
        if llm.provider:
            console.labelled("key", _key(llm.api_key_env, is_set=bool(llm.api_key)))
        console.labelled("window", _window(llm))
        console.labelled("price", _price(llm))
        if trial is not None:
            style = "red" if trial.error else "green"
            console.labelled("trial", printable(trial.summary, 1_000), style)
        console.line()
    for provider in PROVIDERS.values():
        is_set = bool(os.environ.get(provider.api_key_env, "").strip())
        key = _key(provider.api_key_env, is_set=is_set)
        usable = is_set or not provider.api_key_env
        name = console.paint("green" if usable else "dim", f"{provider.name:<12}")
        console.line(f"  {name} {key}, {provider.base_url}")


def _key(variable: str, *, is_set: bool) -> str:
    if not variable:
        return "no key is sent"
    return f"`{printable(variable)}` is {'set' if is_set else 'not set'}"


def _window(llm: LlmConfig) -> str:
    tokens = llm.known.context_tokens
    if tokens is None:
        return _unknown(llm, "context_tokens")
    source = "as configured" if llm.context_tokens else _table()
    return f"{tokens:,} tokens, {source}"


def _price(llm: LlmConfig) -> str:
    price = llm.known.price
    if price is None:
        return _unknown(llm, "prices")
    source = "as configured" if llm.price else _table()
    return f"{price.prompt} + {price.completion} USD for a million tokens, {price.cached} cached, {source}"


def _unknown(llm: LlmConfig, key: str) -> str:
    from webagent_dev.config.models import table_of

    return f"unknown: write `{key}` under `[{table_of(llm.role)}]`"


def _table() -> str:
    from webagent.llm.known_models import AS_OF

    return f"by the table of {AS_OF}"
