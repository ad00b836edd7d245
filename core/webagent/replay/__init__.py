"""Kept programs: finished runs of the agent as data, which run again without a model."""

from webagent.replay.program import Program
from webagent.replay.programs import Programs
from webagent.replay.recording import NotRepeatable, program_of

__all__ = ["NotRepeatable", "Program", "Programs", "program_of"]
