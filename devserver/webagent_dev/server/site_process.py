"""`python -m webagent_dev.server.site_process ROOT [PROXY]`: the server of tests and audits, as a process.

Its pages are those of `webagent-dev serve`, but for three defaults: Python starts on first use, as in
published sites, so that a test which does not ask the agent does not wait beside its start; pages share
it, so that it is there for the next test; and no overlay lies over what a test clicks on. `[page]` of
webagent.toml may say otherwise. A page stays as a test has opened it, also while files are saved.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from webagent_dev.config.resolve import CONFIG_NAME, resolve_config
from webagent_dev.server import runner as server
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError

DEFAULTS = {"start": "use", "runtime": "shared", "overlay": "off"}


def main(root: str, proxy: str | None = None) -> None:
    """Serve a site on a free port of this machine until the process is ended.

    Args:
        root: The folder of the site, or one whose webagent.toml says which that is.
        proxy: Address of a site that runs already.
    """
    started_s = time.perf_counter()
    named: str | None = root
    if (Path(root) / CONFIG_NAME).is_file():
        os.chdir(root)
        named = None
    try:
        config = resolve_config(named, host="127.0.0.1", port=0, doors="off", proxy=proxy)
        options = {**DEFAULTS, **config.page_options}
        config = replace(config, page_options=options, reload=False)
        server.serve(config, Console.for_terminal(), started_s=started_s)
    except ConfigError as error:
        raise SystemExit(f"Error: {error}") from None


if __name__ == "__main__":
    main(*sys.argv[1:])
