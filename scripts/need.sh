#!/bin/sh
# Stops with one clear sentence when a tool that the set-up needs is missing or too old.
# usage: need.sh PYTHON
python=$1

stop() {
    echo "setup: $1" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    stop "\`$python\` is not there; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "\`$python\` is $("$python" -V 2>&1), but 3.11 or newer is needed; name one: make PYTHON=/path/to/python3"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    stop "\`$python\` cannot make virtual environments; on Debian install the package python3-venv"
command -v node >/dev/null 2>&1 ||
    stop "Node is not there; install Node 20 or newer"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
    stop "Node is $(node --version), but 20 or newer is needed"
command -v npm >/dev/null 2>&1 ||
    stop "npm is not there; it usually comes with Node (on Debian the package npm)"
