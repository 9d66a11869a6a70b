import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Vitest's global setup: render workers run the built file, so it is built from the sources under test. */
export function setup(): void {
  execFileSync(process.execPath, [
    fileURLToPath(new URL('../../scripts/build-worker.mjs', import.meta.url)),
  ]);
}
