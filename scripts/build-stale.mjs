import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Before tests: builds what is older than its sources, so that `npx vitest` alone tests what is written. */
export default function buildStale() {
  const newest = newestSource(path.join(root, 'src'));
  rebuild('dist/render-worker.js', 'scripts/build-worker.mjs', newest);
  rebuild('dist/empty.db', 'scripts/build-worker.mjs', newest);
  const folders = [path.join(root, 'src', 'dashboard', 'page'), path.join(root, 'docs')];
  const page = Math.max(...folders.map(newestSource));
  rebuild('dist/dashboard/index.html', 'scripts/build-page.mjs', page);
}

/** Sources that are being written do not build; then tests run on what was built before. */
function rebuild(product, script, newest) {
  const built = statSync(path.join(root, product), { throwIfNoEntry: false });
  if ((built?.mtimeMs ?? 0) > newest) return;
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  if (!built) throw new Error(`${script} failed, and there is no ${product} of an earlier build.`);
  console.warn(`${script} failed; the tests run on an older ${product}.`);
}

function newestSource(folder) {
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  return Math.max(0, ...times);
}
