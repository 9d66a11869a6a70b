import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { choiceOfCode, choiceOfDropped, choiceOfWarning, readChoices } from '../../src/base/package/choice-table.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { emptyFolder } from './spawned-program.ts';

interface InUse {
  id: string;
  in_use: { times: number; by: string[]; operations: string[] };
}

const emulator = await world();

async function choicesOf(file: string): Promise<InUse[]> {
  const { exitCode, stdout, stderr } = await runCommand(['choices', '--from', file, '--json']);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).data;
}

/** Orders a clip of an unknown model, a song, and reads it until it is done. */
async function madeRun() {
  const account = await emulator.account({ plan: 'studio', credits: 500 });
  await account.post('/videos/generations', { model: 'no-such-engine', prompt: 'a pier' });
  await account.made('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
  return account;
}

async function traceOf(accountId: string): Promise<string> {
  const file = path.join(emptyFolder(), 'run.html');
  const { bytes } = await emulator.control('GET', `/trace?media=none&account_id=${accountId}`);
  writeFileSync(file, bytes);
  return file;
}

it('prints every choice with what is left open and what happens here', async () => {
  const { exitCode, stdout } = await runCommand(['choices']);
  expect(exitCode).toBe(0);
  for (const { id, area, open } of readChoices()) expect(stdout).toContain(`${id}  ${area}: ${open}\n`);
  const json = JSON.parse((await runCommand(['choices', '--json'])).stdout);
  expect(json).toEqual({ object: 'list', data: readChoices() });
});

it('prints of a trace the choices that its codes, fields and events concern, the most used first', async () => {
  const account = await madeRun();
  const found = await choicesOf(await traceOf(account.id));
  const byId = new Map(found.map(({ id, in_use }) => [id, in_use]));
  expect(byId.get('C022')).toEqual({ times: 1, by: ['model', 'model_not_found'], operations: ['createVideo'] });
  expect(byId.get('C118')).toMatchObject({ by: ['status'] });
  expect(byId.get('C128')?.operations).toEqual(['createSong']);
  for (const id of ['C060', 'C049', 'C076', 'C136', 'C160', 'C200']) expect(byId.has(id)).toBe(false);
  const named = found.filter(({ in_use }) => in_use.by.length > 0).map(({ in_use }) => in_use.times);
  expect(named).toEqual(named.toSorted((a, b) => b - a));
  expect(found.slice(0, named.length).every(({ in_use }) => in_use.by.length > 0)).toBe(true);
});

it('prints the same of the journal as of the trace, but for events, and of lines of requests and answers', async () => {
  const account = await madeRun();
  const { body } = await emulator.control('GET', `/requests?account_id=${account.id}`);
  const folder = emptyFolder();
  const [journal, lines] = [path.join(folder, 'journal.json'), path.join(folder, 'run.ndjson')];
  writeFileSync(journal, JSON.stringify(body));
  const rows = body.data.map(({ method, path: where, status, request, answer }: Record<string, unknown>) => ({
    request: { method, path: where, body: request },
    response: { status, body: answer },
  }));
  writeFileSync(lines, rows.map((row: object) => `${JSON.stringify(row)}\n`).join(''));
  const ids = (found: InUse[]) => found.map(({ id }) => id);
  const ofTrace = ids(await choicesOf(await traceOf(account.id)));
  const ofJournal = ids(await choicesOf(journal));
  expect(ofJournal.length).toBeGreaterThan(10);
  expect(ofTrace).toEqual(expect.arrayContaining(ofJournal));
  expect(ids(await choicesOf(lines))).toEqual(ofJournal);
});

it.each([
  ['that is not there', undefined],
  ['that is no JSON', 'a diary'],
  ['without a request', '{"object": "list", "data": []}'],
  ['whose record is damaged', '<script type="application/gzip" id="record">H4sI</script>'],
])('refuses a file %s, and says what it takes', async (_, content) => {
  const file = path.join(emptyFolder(), 'run');
  if (content !== undefined) writeFileSync(file, content);
  const { exitCode, stdout, stderr } = await runCommand(['choices', '--from', file]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`svc-emulator: ${file} holds no recorded run: `);
  expect(stderr).toContain('Expected a trace');
});

it('names in an explanation the choice by which a field was ignored or a request refused', async () => {
  const account = await emulator.account({ credits: 50 });
  const textOf = async (order: object) => {
    const { headers } = await account.post('/images/generations', order);
    const { body } = await emulator.control('GET', `/explain/${headers.get('x-request-id')}`);
    return JSON.stringify(body.steps.map(({ text }: { text: string }) => text));
  };
  expect(await textOf({ prompt: 'a barn', mood: 'gay' })).toContain('Ignored: mood (choice C001).');
  expect(await textOf({ prompt: 'a barn', model: 'none' })).toMatch(/model_not_found: .+ \(choice C022\)/);
  expect(await textOf({ prompt: '' })).not.toContain('(choice');
});

it('names only choices that there are', () => {
  const known = new Set(readChoices().map(({ id }) => id));
  const warnings = [
    'mood',
    'idempotency-key;unsupported',
    'style;language',
    'events;flow_id',
    'prompt;directive=block',
  ];
  const named = [
    ...warnings.map(choiceOfWarning),
    ...['audio', 'seed', 'elements'].map(choiceOfDropped),
    ...readChoices().flatMap(({ touches }) => touches.codes.flatMap((code) => choiceOfCode(code) ?? [])),
  ];
  expect(named.filter((id) => id === undefined || !known.has(id))).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
  expect(choiceOfCode('insufficient_credits')).toBeUndefined();
});

it('prints the links of a choice as their words', async () => {
  const { stdout } = await runCommand(['choices']);
  expect(stdout).toMatch(/^C276 {2}/m);
  expect(stdout).not.toMatch(/\]\(/);
});
