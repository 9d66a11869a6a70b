// `npm run golden` updates test/media/golden-hashes.json after an intended change to the bytes of renders.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../test/media/', import.meta.url));
const requests = JSON.parse(readFileSync(path.join(folder, 'golden-requests.json'), 'utf8'));
const scratch = mkdtempSync(path.join(tmpdir(), 'golden-'));
const hash = (request) =>
  execFileSync(process.execPath, [path.join(folder, 'hash-elsewhere.mjs'), JSON.stringify(request), scratch])
    .toString()
    .trim();
try {
  const hashes = Object.entries(requests).map(([name, request]) => [name, hash(request)]);
  const text = JSON.stringify(Object.fromEntries(hashes), null, 2);
  writeFileSync(path.join(folder, 'golden-hashes.json'), `${text}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
