import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canFetchNode, fetchNode } from '../../scripts/other-node.mjs';
import type { RenderRequest } from '../../src/render/render-request.ts';
import { openRig } from './render-rig.ts';

/** Another major version than the one that runs the tests; its binary comes as a package. */
const OTHER = process.versions.node.startsWith('24.') ? '20' : '24';
const scratch = mkdtempSync(join(tmpdir(), 'other-node-'));
const rig = openRig(2);

const requests = JSON.parse(readFileSync(new URL('golden-requests.json', import.meta.url), 'utf8')) as Record<
  string,
  RenderRequest
>;
const audible: Record<string, RenderRequest> = {
  speech: { kind: 'speech', model: 'svc-voice-one', text: 'Is it night already?', voice: 'orion' },
  song: {
    ...{ kind: 'song', model: 'svc-music-one', title: 'Tide', style: 'folk, waltz' },
    ...{ lyrics: '[Verse]\nThe tide comes in', seconds: 30, seed: 5 },
  },
};

let node = '';

beforeAll(() => {
  if (canFetchNode) node = fetchNode(OTHER).node;
}, 300_000);

afterAll(async () => {
  await rig.renderer.close();
  rmSync(scratch, { recursive: true, force: true });
});

it.runIf(canFetchNode).each(Object.entries({ ...requests, ...audible }))(
  `makes the same bytes of %s on Node ${OTHER} [I097]`,
  async (name, request) => {
    const script = fileURLToPath(new URL('hash-elsewhere.mjs', import.meta.url));
    const told = execFileSync(node, [script, JSON.stringify(request), scratch]);
    const target = rig.file(name);
    await rig.renderer.render(request, target);
    const own = createHash('sha256').update(readFileSync(target)).digest('hex');
    expect(told.toString().trim()).toBe(own);
  },
);
