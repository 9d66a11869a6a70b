import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPage } from './follow-page.ts';
import { folderWithProgram } from './terminal.ts';

interface GithubWorkflow {
  on: string[];
  jobs: { test: { steps: { uses?: string; run?: string }[] } };
}

interface GitlabPipeline {
  test: { image: string; script: string[] };
}

interface CirclePipeline {
  version: number;
  jobs: { test: { steps: (string | { run?: string })[] } };
}

const PAGE = readPage('docs/ci.md');

/** A suite as small as can be: a chat by what stands in the environment. */
const SUITE = `
  const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
  const headers = { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] });
  const answer = await fetch(OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body });
  process.exitCode = answer.status === 200 ? 0 : 1;
`;

it('runs a suite with the documented commands of three CI providers', async () => {
  const scripts = [github(), gitlab(), circle()];
  for (const script of scripts) expect(script[0]).toBe('npm ci');
  const commands = new Set(scripts.map(([, command = '', ...more]) => [command, ...more].join()));
  expect([...commands]).toEqual(['npx svc-emulator exec --report svc-spend.json --trace svc-trace.html -- npm test']);

  const manifest = { name: 'app', type: 'module', scripts: { test: 'node suite.mjs' } };
  const folder = folderWithProgram({ 'package.json': JSON.stringify(manifest), 'suite.mjs': SUITE });
  for (const command of commands) await folder.run(command);
  expect(folder.file('svc-trace.html').toString()).toContain('id="record"');
  expect(JSON.parse(folder.file('svc-spend.json').toString())).toMatchObject({ credits: 1 });
});

function github(): string[] {
  const { on, jobs } = configuration<GithubWorkflow>('.github/workflows/test.yml');
  expect(on).toEqual(['push', 'pull_request']);
  return jobs.test.steps.flatMap(({ run }) => run ?? []);
}

function gitlab(): string[] {
  return configuration<GitlabPipeline>('.gitlab-ci.yml').test.script;
}

function circle(): string[] {
  const { version, jobs } = configuration<CirclePipeline>('.circleci/config.yml');
  expect(version).toBe(2.1);
  return jobs.test.steps.flatMap((step) => (typeof step === 'string' ? [] : (step.run ?? [])));
}

/** The block that begins with the name of its file. */
function configuration<T>(file: string): T {
  const [, text] = PAGE.split(`\n# ${file}\n`);
  expect(text, file).toBeDefined();
  return parse(text?.split('\n```')[0] ?? '') as T;
}
