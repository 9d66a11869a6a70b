import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandHere } from '../../support/command-here.ts';
import { runToEnd } from '../spawned-program.ts';
import { repository, suiteOfFolder, TOKEN } from './ended-proof.ts';

it.each([
  ['does not occur on the base', 'open', false],
  ['still occurs with the fix', 'strict', true],
])('does not confirm the fix of a finding that %s', async (_what, suite, failed) => {
  const folder = repository({ suite });
  const command = await commandHere(suiteOfFolder);
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', '--report', 'proof.json', '--', ...command];
  const { exitCode } = await runToEnd(line, {}, folder);
  expect(exitCode).toBe(1);
  const proof = JSON.parse(readFileSync(path.join(folder, 'proof.json'), 'utf8'));
  expect(proof).toMatchObject({ proven: false, base: { failed }, here: { failed } });
});
