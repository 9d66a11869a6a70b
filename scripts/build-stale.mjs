import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Before tests: builds what is older than its sources, so that `npx vitest` alone tests what is written. */
export default function buildStale() {
  const newest = newestSource(path.join(root, 'src'));
  rebuild('dist/render-worker.js', 'scripts/build-worker.mjs', newest);
}

function rebuild(product, script, newest) {
  const built = statSync(path.join(root, product), { throwIfNoEntry: false });
  if ((built?.mtimeMs ?? 0) > newest || !existsSync(path.join(root, script))) return;
  execFileSync(process.execPath, [script], { cwd: root, stdio: 'inherit' });
}

function newestSource(folder) {
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  return Math.max(0, ...times);
}
