"""Whether what is declared compiles: many manifests, one run of the compiler."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import HealthCheck, given, settings

from tests.manifests import manifests
from tests.tsc import compile_errors
from webagent import AgentClient, Manifest, generate_typescript


def refused(found: Iterable[Manifest]) -> list[tuple[Manifest, str, list[str]]]:
    """Return manifest, code and errors where declarations or context do not compile."""
    programs: dict[str, tuple[Manifest, str]] = {}
    for manifest in found:
        agent = AgentClient()
        agent.load_manifest(manifest)
        for code in (generate_typescript(manifest), agent.context_for_llm()):
            programs[str(len(programs))] = manifest, code
    errors = compile_errors({name: code for name, (_, code) in programs.items()})
    return [(*programs[name], said) for name, said in errors.items()]


def fuzzed(count: int) -> list[Manifest]:
    """Return so many manifests, all different, the same in each run."""
    found: dict[str, Manifest] = {}

    @settings(
        max_examples=2 * count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(manifests)
    def collect(manifest: Manifest) -> None:
        found[repr(manifest)] = manifest

    collect()
    return list(found.values())[:count]
