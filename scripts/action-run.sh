#!/usr/bin/env bash
# The first step of action.yml. It runs in `working-directory`, reads its inputs from variables, and also runs on bash 3.2.
set -eo pipefail

report=svc-emulator-report
mkdir -p "$report" svc-traces
# An earlier use of the action in this folder may have left these files. The baseline may be one of them, so it is kept.
for old in "$report/spend.json" "$report/spend.xml" "$report/summary.md" "$report"/check.{json,html,md} svc-traces/run.html; do
  [ "$old" -ef "$BASELINE" ] || rm -f "$old"
done

# The name of a use contains its job and its row of the matrix. From the second use in a job on, a number follows.
echo >> "$RUNNER_TEMP/svc-emulator-uses"
uses=$(($(wc -l < "$RUNNER_TEMP/svc-emulator-uses")))
row=$ROW
if [ "$uses" -gt 1 ]; then row+=-$uses; fi

flags=(--report "$report/spend.json" --report "$report/spend.xml")
flags+=(--summary "$report/summary.md" --trace svc-traces/run.html)
if [ -n "$BASELINE" ]; then flags+=(--baseline "$BASELINE"); fi
# Splits these values into words, without expanding patterns of file names.
set -f
emulator=($EMULATOR)
flags+=($FLAGS)
check_flags=($CHECK_FLAGS)
set +f

status=0
# GitHub starts a step with `shell: bash` in the same way. Without these options, a line that fails would be ignored.
"${emulator[@]}" exec "${flags[@]}" -- bash --noprofile --norc -eo pipefail -c "$COMMAND" || status=$?
if [ "$CHECK" = true ] && [ "$status" = 0 ]; then
  for kind in json html md; do check_flags+=(--report "$report/check.$kind"); done
  "${emulator[@]}" check "${check_flags[@]}" -- bash --noprofile --norc -eo pipefail -c "$COMMAND" || status=$?
  if [ -f "$report/check.md" ]; then cat "$report/check.md" >> "$report/summary.md"; fi
fi

# The outputs are paths in the workspace, because the other steps do not run in this folder.
place=${WORKING_DIRECTORY:-.}
folders() {
  echo "$report"
  find . \( -name node_modules -o -name .git \) -prune -o -type d -name svc-traces -prune -print || true
}
{
  echo "exit-code=$status"
  echo "row=$row"
  if [ "$ARTIFACT" = auto ]; then echo "artifact=svc-emulator-$row"; else echo "artifact=$ARTIFACT"; fi
  echo "summary=$place/$report/summary.md"
  echo 'folders<<end-of-folders'
  # upload-artifact reads each line as a pattern, so special characters are escaped.
  folders | while IFS= read -r folder; do echo "$place/${folder#./}"; done | sed 's/[[*?]/[&]/g'
  echo end-of-folders
  if [ -f "$report/spend.json" ]; then
    node -p '"credits=" + JSON.parse(require("node:fs").readFileSync(process.argv[1])).credits' "$report/spend.json"
  fi
} >> "$GITHUB_OUTPUT"
if [ -f "$report/summary.md" ]; then cat "$report/summary.md" >> "$GITHUB_STEP_SUMMARY"; fi
exit "$status"
