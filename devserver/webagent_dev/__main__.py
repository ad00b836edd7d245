"""`python -m webagent_dev` is `webagent-dev`."""

from webagent_dev.cli import main

main(prog_name="webagent-dev")
