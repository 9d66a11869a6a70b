import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SMALL_CLIENT, SMALL_COMMAND, SMALL_HEAD, SMALL_TESTS } from '../../check/checked-suite.ts';
import { runToEnd } from '../spawned-program.ts';
import { repository, tokenOf } from './ended-proof.ts';

const STRONG = SMALL_HEAD + SMALL_TESTS;

it.each([
  ['passes on the base too', STRONG, false],
  ['still occurs here', STRONG.replace('credits_spent: 1', 'credits_spent: usage.credits_spent'), true],
])('proves nothing of a finding that %s', async (_what, suite, failed) => {
  const folder = repository({ ...SMALL_CLIENT, 'suite.mjs': suite });
  const token = tokenOf('spent.zero', 'POST /v1/chat/completions');
  const line = ['check', '--prove', token, '--base', 'HEAD', '--report', 'proof.json', '--', ...SMALL_COMMAND];
  const { exitCode } = await runToEnd(line, {}, folder);
  expect(exitCode).toBe(1);
  const proof = JSON.parse(readFileSync(path.join(folder, 'proof.json'), 'utf8'));
  expect(proof).toMatchObject({ proven: false, base: { failed }, here: { failed } });
});
