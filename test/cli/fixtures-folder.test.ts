import path from 'node:path';
import { expect, it } from 'vitest';
import { FixtureFolder } from '../support/fixture-folder.ts';
import { runCommand } from '../support/run-command.ts';
import { type SpawnedProgram, startProgram } from './spawned-program.ts';

const KEY = 'svc_sk_local_emulator';

/** Resolves with the first line of the log that holds these words. */
function logged({ child, stderr }: SpawnedProgram, words: string): Promise<string> {
  return new Promise((resolve) => {
    let text = stderr;
    const look = (more = '') => {
      text += more;
      const line = text.split('\n').find((each) => each.includes(words));
      if (line) resolve(line);
    };
    child.stderr?.on('data', (more) => look(String(more)));
    look();
  });
}

async function reply(url: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Is the lantern lit?' }];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-rp-mini', messages }),
  });
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content ?? '';
}

const lit = (text: string) =>
  `fixtures:\n  - match: { message: { regex: "(?i)LANTERN" } }\n    answer: { text: ${text} }\n`;

it('notices by itself what changes in the folder, and logs it', async () => {
  const folder = new FixtureFolder({ 'a.yaml': lit('One.') });
  const { program, url } = await startProgram([...['--ephemeral', '--log', 'json', '--fixtures', folder.path]]);
  expect(await reply(url)).toBe('One.');
  folder.write('a.yaml', lit('Two.'));
  expect(JSON.parse(await logged(program, 'read again'))).toMatchObject({ fixtures: 1 });
  expect(await reply(url)).toBe('Two.');
  folder.write('b.yaml', 'fixtures:\n  - answer: {}\n');
  expect(JSON.parse(await logged(program, 'is broken'))).toMatchObject({
    ...{ level: 50, file: 'b.yaml', line: 2, field: 'fixtures.0.answer' },
  });
  expect(await reply(url)).toBe('Two.');
  expect(await program.stop()).toBe(0);
});

it('ends with 2 and names file, line and field of a broken folder [I150]', async () => {
  const folder = new FixtureFolder({ 'a.yaml': 'fixtures:\n  - name: x\n    answr: {}\n' });
  const { exitCode, stdout, stderr } = await runCommand([
    ...['start', '--port', '0', '--ephemeral', '--fixtures', path.join(folder.path)],
  ]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('a.yaml:3: Unknown field fixtures.0.answr. Did you mean answer?');
  expect(stderr).not.toMatch(/^\s+at /m);
});
