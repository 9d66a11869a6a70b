#!/usr/bin/env bash
# What a CI job runs: the suite next to a fresh emulator, with a limit of what it may cost.
set -euo pipefail
npx svc-emulator exec --max-credits 30 --report spend.json --report spend.xml -- npm test
