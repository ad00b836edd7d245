#!/bin/sh
# Checks, tests and evaluates a site, on any machine with a POSIX shell and Python 3.11.
#
#   WEBAGENT_SITE          the site: a folder or an address; by default this folder
#   WEBAGENT_COMMANDS      which of `check`, `test` and `eval` to run; by default `check test`
#   WEBAGENT_CASES         the cases of `eval`; by default evals.json in the site
#   WEBAGENT_TEST_OPTIONS  further options of `test`
#   WEBAGENT_EVAL_OPTIONS  further options of `eval`
#   WEBAGENT_REPORTS       the folder for the reports; by default webagent-reports
#   WEBAGENT_RULES_URL     the address of the rules' pages, for the links in SARIF
#   PYTHON                 the interpreter for an installation; by default python3
#
# The exit code is the highest one of the commands; docs/how-to/ci.md explains the rest.

set -eu
# Options are split into words, and no word is a pattern of files.
set -f

site=${WEBAGENT_SITE:-.}
# shellcheck disable=SC2086 # these are words
set -- ${WEBAGENT_COMMANDS:-}
commands=${*:-check test}
cases=${WEBAGENT_CASES:-$site/evals.json}
reports=${WEBAGENT_REPORTS:-webagent-reports}
on_github=${GITHUB_ACTIONS:-false}

for command in $commands; do
  case $command in
    check | test | eval) ;;
    *)
      echo "\`$command\` is not one of the commands - write \`check\`, \`test\` or \`eval\`" >&2
      exit 2
      ;;
  esac
done

mkdir -p -- "$reports"

if ! command -v webagent-dev >/dev/null; then
  environment=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/webagent-XXXXXX")
  "${PYTHON:-python3}" -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet "webagent-dev[testing]==0.2.0"
  PATH=$environment/bin:$PATH
  has_browser='import webagent_dev.browser.chromium as c; raise SystemExit(not c.find_browser())'
  if ! "$environment/bin/python" -c "$has_browser"; then
    playwright install --with-deps chromium
  fi
fi

# Runs a command, and then shows in the pull request what it found. The output has texts of the site,
# which must not be commands for GitHub: it ignores commands until the secret word comes.
run() {
  found=$reports/$1.annotations
  summary=$reports/$1.md
  rm -f -- "$found" "$summary" "$reports/$1.sarif" "$reports/$1.html"
  shift
  word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  if [ "$on_github" = true ]; then echo "::stop-commands::$word"; fi
  code=0
  "$@" 2>&1 || code=$?
  if [ "$on_github" = true ]; then
    printf '\n::%s::\n' "$word"
    if [ -f "$found" ]; then cat -- "$found"; fi
    if [ -f "$summary" ]; then cat -- "$summary" >>"$GITHUB_STEP_SUMMARY"; fi
  fi
  if [ "$code" -gt "$result" ]; then result=$code; fi
}

result=0
for command in $commands; do
  name=$reports/$command
  set -- --format github -o "$name.annotations" --format markdown -o "$name.md"
  # shellcheck disable=SC2086 # options are words
  case $command in
    check)
      set -- "$@" --format sarif -o "$name.sarif"
      run check webagent-dev check "$@" \
        ${WEBAGENT_RULES_URL:+--rules-url "$WEBAGENT_RULES_URL"} -- "$site"
      ;;
    test)
      set -- "$@" --format html -o "$name.html"
      run test webagent-dev test "$@" ${WEBAGENT_TEST_OPTIONS:-} -- "$site"
      ;;
    eval)
      set -- "$@" --format html -o "$name.html"
      run eval webagent-dev eval "$@" ${WEBAGENT_EVAL_OPTIONS:-} -- "$cases" "$site"
      ;;
  esac
done

if [ "$on_github" = true ]; then
  echo "reports=$reports" >>"$GITHUB_OUTPUT"
  if [ -f "$reports/check.sarif" ]; then echo "sarif=$reports/check.sarif" >>"$GITHUB_OUTPUT"; fi
fi
exit "$result"
