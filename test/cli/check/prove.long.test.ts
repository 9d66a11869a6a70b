import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SMALL_CLIENT, SMALL_COMMAND, SMALL_HEAD } from '../../check/checked-suite.ts';
import { runToEnd } from '../spawned-program.ts';
import { repository, TOKEN } from './ended-proof.ts';

const OPEN = `${SMALL_HEAD}test('reads the cost of a message', async (key) => {
  const { usage } = (await chat(key)).body;
  assert.equal(usage.credits_spent, 1);
});
`;
const STRICT = OPEN.replace('{ usage }', '{ usage, svc_note: note }').replace('1);', '1);\n  assert.ok(!note);');

it.each([
  ['does not occur on the base', OPEN, false],
  ['still occurs with the fix', STRICT, true],
])('does not confirm the fix of a finding that %s', async (_what, suite, failed) => {
  const folder = repository({ ...SMALL_CLIENT, 'suite.mjs': suite });
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', '--report', 'proof.json', '--', ...SMALL_COMMAND];
  const { exitCode } = await runToEnd(line, {}, folder);
  expect(exitCode).toBe(1);
  const proof = JSON.parse(readFileSync(path.join(folder, 'proof.json'), 'utf8'));
  expect(proof).toMatchObject({ proven: false, base: { failed }, here: { failed } });
});
