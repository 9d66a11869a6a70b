import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../package/fixture-folder.ts';

/** What was once sent to an operation, and what it answered with which status. */
export interface RecordedExample {
  request?: unknown;
  /** Requests worth a try, each by its name: they stand in place of the one that was sent. */
  presets?: Record<string, unknown>;
  answers: Record<string, unknown>;
}

/** Real requests and answers by operation: a test records them anew and compares. */
export function readExamples(): Record<string, RecordedExample> {
  const examples = readFixture('openapi-examples.json');
  for (const [name, presets] of Object.entries(readFixture('openapi-presets.json'))) {
    examples[name] = { answers: {}, ...examples[name], presets };
  }
  return examples;
}

function readFixture(name: string) {
  const file = path.join(fixtureFolder(), name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
