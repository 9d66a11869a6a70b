import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPage } from './follow-page.ts';
import { namedBlocks } from './page-code.ts';
import { folderWithProgram } from './terminal.ts';

const FILES = namedBlocks(readPage('docs/ci.md'), 'yaml');

/** A minimal suite: one chat with the URL and key of the environment. */
const SUITE = `
  const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
  const headers = { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] });
  const answer = await fetch(OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body });
  process.exitCode = answer.status === 200 ? 0 : 1;
`;

it('runs a suite with the documented commands of three CI providers', async () => {
  const [github, gitlab, circle] = ['.github/workflows/test.yml', '.gitlab-ci.yml', '.circleci/config.yml'].map(
    (file) => parse(FILES[file] ?? ''),
  );
  expect([github.on, circle.version]).toEqual([['push', 'pull_request'], 2.1]);
  const scripts: string[][] = [...[github, circle].map(commandsOf), gitlab.test.script];
  for (const script of scripts) expect(script[0]).toBe('npm ci');
  const commands = new Set(scripts.map(([, command = '', ...more]) => [command, ...more].join()));
  expect([...commands]).toEqual(['npx svc-emulator exec --report svc-spend.json --trace svc-trace.html -- npm test']);

  const manifest = { name: 'app', type: 'module', scripts: { test: 'node suite.mjs' } };
  const folder = folderWithProgram({ 'package.json': JSON.stringify(manifest), 'suite.mjs': SUITE });
  for (const command of commands) await folder.run(command);
  expect(folder.file('svc-trace.html').toString()).toContain('id="record"');
  expect(JSON.parse(folder.file('svc-spend.json').toString())).toMatchObject({ credits: 1 });
});

function commandsOf({ jobs }: { jobs: { test: { steps: { run?: string }[] } } }): string[] {
  return jobs.test.steps.flatMap(({ run }) => run ?? []);
}
