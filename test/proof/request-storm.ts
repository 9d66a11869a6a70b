import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { emptyFolder, startProgram } from '../cli/spawned-program.ts';
import { GeneratedRequests } from '../control/openapi/generated-requests.ts';
import { World } from '../support/world.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'fixtures', 'openapi-examples.json');
const PRELOADED = ['support/loopback-only.mjs', 'proof/loop-hold.mjs'].map((file) =>
  path.join(import.meta.dirname, '..', file),
);

/** Sends mutated requests to its own program, which can reach only this machine, and checks the program afterwards. */
export async function stormRequests(
  seed: number,
  count: number,
): Promise<{ count: number; figures: Record<string, number> }> {
  const folder = emptyFolder();
  const file = path.join(folder, 'loop-hold');
  const env = { NODE_OPTIONS: PRELOADED.map((each) => `--import=${each}`).join(' '), LOOP_HOLD_FILE: file };
  const { program, url } = await startProgram(['--ephemeral', '--log', 'silent', '--max-disk', '200MiB'], env);
  const here = new World({ url, controlToken: undefined });
  const requests = await GeneratedRequests.of(here, seed, {
    invalid: 0.2,
    examples: JSON.parse(readFileSync(EXAMPLES, 'utf8')),
  });
  await requests.send(count);
  expect(requests.faults, requests.faults.join('\n')).toEqual([]);
  expect(await here.invariants()).toMatchObject({ ok: true });
  expect(await program.stop()).toBe(0);
  return { count, figures: { longest_hold_ms: Number(readFileSync(file, 'utf8')), ...requests.statuses } };
}
