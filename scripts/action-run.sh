#!/usr/bin/env bash
# The first step of action.yml, in its working-directory: the inputs come by the environment. Runs on bash 3.2 too.
set -eo pipefail

report=svc-emulator-report
mkdir -p "$report" svc-traces
# Another use of the action in this folder may have left these; the baseline may be one of them.
for old in "$report/spend.json" "$report/spend.xml" "$report/summary.md" "$report"/check.{json,html,md} svc-traces/run.html; do
  [ "$old" -ef "$BASELINE" ] || rm -f "$old"
done

# A use is named by its job, its row of the matrix, and its number in the job where there are several.
echo >> "$RUNNER_TEMP/svc-emulator-uses"
uses=$(($(wc -l < "$RUNNER_TEMP/svc-emulator-uses")))
row=$ROW
if [ "$uses" -gt 1 ]; then row+=-$uses; fi

flags=(--report "$report/spend.json" --report "$report/spend.xml")
flags+=(--summary "$report/summary.md" --trace svc-traces/run.html)
if [ -n "$BASELINE" ]; then flags+=(--baseline "$BASELINE"); fi
# Both are split into words, of which none is a pattern of file names.
set -f
emulator=($EMULATOR)
flags+=($FLAGS)
check_flags=($CHECK_FLAGS)
set +f

status=0
# As a runner starts a step with shell: bash, or a line that fails would be passed over.
"${emulator[@]}" exec "${flags[@]}" -- bash --noprofile --norc -eo pipefail -c "$COMMAND" || status=$?
if [ "$CHECK" = true ] && [ "$status" = 0 ]; then
  for kind in json html md; do check_flags+=(--report "$report/check.$kind"); done
  "${emulator[@]}" check "${check_flags[@]}" -- bash --noprofile --norc -eo pipefail -c "$COMMAND" || status=$?
  if [ -f "$report/check.md" ]; then cat "$report/check.md" >> "$report/summary.md"; fi
fi

# Paths of the workspace: the other steps do not run in this folder.
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
  # To upload-artifact each line is a pattern.
  folders | while IFS= read -r folder; do echo "$place/${folder#./}"; done | sed 's/[[*?]/[&]/g'
  echo end-of-folders
  if [ -f "$report/spend.json" ]; then
    node -p '"credits=" + JSON.parse(require("node:fs").readFileSync(process.argv[1])).credits' "$report/spend.json"
  fi
} >> "$GITHUB_OUTPUT"
if [ -f "$report/summary.md" ]; then cat "$report/summary.md" >> "$GITHUB_STEP_SUMMARY"; fi
exit "$status"
