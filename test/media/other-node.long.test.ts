import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { canFetchNode, fetchNode } from '../../scripts/other-node.mjs';
import type { RenderRequest } from '../../src/media/render-request.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { openRig } from './render-rig.ts';

/** Other major versions than the one that runs the tests; their binaries come as packages. */
const OTHERS = ['20', '22', '24'].filter((major) => !process.versions.node.startsWith(`${major}.`));
const scratch = emptyFolder();
const rig = openRig(2);

const requests = JSON.parse(readFileSync(new URL('golden-requests.json', import.meta.url), 'utf8')) as Record<
  string,
  RenderRequest
>;
const audible: Record<string, RenderRequest> = {
  speech: { kind: 'speech', model: 'svc-voice-one', text: 'Is it night already?', voice: 'orion' },
  'long speech': {
    ...{ kind: 'speech', model: 'svc-voice-one', voice: 'aria' },
    text: 'Is it night already? The boat leaves at nine, so be on time and bring some tea. '.repeat(4),
  },
  song: {
    ...{ kind: 'song', model: 'svc-music-one', title: 'Tide', style: 'folk, waltz' },
    ...{ lyrics: '[Verse]\nThe tide comes in', seconds: 30, seed: 5 },
  },
};

afterAll(() => rig.renderer.close());

it
  .runIf(canFetchNode)
  .each(
    Object.entries({ ...requests, ...audible }).flatMap(([name, request]) =>
      OTHERS.map((major) => ({ name, request, major })),
    ),
  )(
  'makes the same bytes of $name on Node $major [I097]',
  async ({ name, request, major }) => {
    const { node } = fetchNode(major);
    const script = fileURLToPath(new URL('hash-elsewhere.mjs', import.meta.url));
    const told = execFileSync(node, [script, JSON.stringify(request), scratch]);
    const target = rig.file(name);
    await rig.renderer.render(request, target);
    const own = createHash('sha256').update(readFileSync(target)).digest('hex');
    expect(told.toString().trim()).toBe(own);
  },
  300_000,
);
