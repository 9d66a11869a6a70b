import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseFailedTests } from '../../../src/client/runners/parse-failed-tests.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../../src/engine/webhooks/signature.ts';
import { recordIn } from '../../control/trace/read-trace.ts';
import { openReceiver, type Reply } from '../../support/receiver.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder } from '../spawned-program.ts';

const secret = 'whsec_of_the_test';

const careful: Reply = ({ headers, body }) => {
  try {
    verifySignature({ secret, payload: body, header: headers[SIGNATURE_HEADER] });
    return { status: 204 };
  } catch {
    return { status: 400 };
  }
};

const receiver = async (reply: Reply) => `${(await openReceiver(reply)).origin}/events`;

it('exits with 0 and prints a line for each passed check [I150]', async () => {
  const url = await receiver(careful);
  const { exitCode, stdout, stderr } = await runCommand(['verify', url, '--secret', secret]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toBe(url);
  expect(lines.slice(0, -1).filter((line) => !line.startsWith('ok   '))).toEqual([]);
  expect(lines.at(-1)).toBe(`${lines.length - 1} of ${lines.length - 1} checks passed`);
});

it('writes its report card as a page without the secret', async () => {
  const url = await receiver({ status: 200 });
  const file = path.join(emptyFolder(), 'card.html');
  const { exitCode } = await runCommand(['verify', url, '--secret', secret, '--trace', file]);
  expect(exitCode).toBe(1);
  const trace = recordIn(readFileSync(file, 'utf8'));
  expect(trace.head).toMatchObject({ title: `report card of ${url}`, exit: 1 });
  expect(parseFailedTests(trace.output.map(({ text }) => text))).not.toEqual([]);
  expect(JSON.stringify(trace)).not.toContain(secret);
});

it('ends verify with 1 if the receiver fails a check, and writes JSON and JUnit [I150]', async () => {
  const url = await receiver({ status: 200 });
  const junit = path.join(emptyFolder(), 'receiver.xml');
  const flags = ['--events', 'flow.run.failed', 'flow.run.waiting', '--json', '--junit', junit];
  const env = { SVC_WEBHOOK_SECRET: secret };
  const { exitCode, stdout, stderr } = await runCommand(['verify', url, ...flags], env);
  expect([exitCode, stderr]).toEqual([1, '']);
  const card = JSON.parse(stdout);
  expect(card).toMatchObject({ object: 'report_card', url, ok: false, failed: 6 });
  expect(readFileSync(junit, 'utf8')).toContain('failures="6"');
});
