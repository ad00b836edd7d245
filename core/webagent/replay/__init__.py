"""Kept programs: finished runs of the agent as data, which run again without a model."""

from webagent.replay.program import Program
from webagent.replay.programs import Programs
from webagent.replay.recording import Mask, NotRepeatable, program_of

__all__ = ["Mask", "NotRepeatable", "Program", "Programs", "program_of"]
