import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Every build writes this file after the bundles and pages. */
const LAST_BUILT = path.join(root, 'dist', 'third-party-licences.txt');

/** Runs before the tests. Builds if a source is newer than the last build, so that `npx vitest` tests the current code. */
export default function buildStale() {
  const built = statSync(LAST_BUILT, { throwIfNoEntry: false });
  if ((built?.mtimeMs ?? 0) > Math.max(newestSource('src'), newestSource('docs'))) return;
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--no-types'], { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  if (!built) throw new Error('The build failed, and there is no earlier one.');
  console.warn('The build failed; the tests run on an earlier one.');
}

function newestSource(folder) {
  const times = readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  return Math.max(0, ...times);
}
