import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../package/fixture-folder.ts';

/** What was once sent to an operation, and what it answered with which status. */
export interface RecordedExample {
  request?: unknown;
  answers: Record<string, unknown>;
}

/** Real requests and answers by operation: a test records them anew and compares. */
export function readExamples(): Record<string, RecordedExample> {
  const file = path.join(fixtureFolder(), 'openapi-examples.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
