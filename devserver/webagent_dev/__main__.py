"""`python -m webagent_dev` is `webagent-dev`."""

from __future__ import annotations


def run() -> None:
    """Run the command line. Ctrl-C ends it quietly, also while it is still being loaded."""
    try:
        from webagent_dev.cli.main import main
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    main(prog_name="webagent-dev")


if __name__ == "__main__":
    run()
