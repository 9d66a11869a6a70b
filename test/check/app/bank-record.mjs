// What the bank has come to so far, kept beside its copies: a long run goes on where it was left.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../node_modules/.cache/explore-bank/record.jsonl', import.meta.url));

/** One text for what was explored: another copy, or other settings, is explored anew. */
export function markOf(files, ...settings) {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

export function readRecord() {
  if (!existsSync(FILE)) return [];
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function keep(row) {
  mkdirSync(path.dirname(FILE), { recursive: true });
  appendFileSync(FILE, `${JSON.stringify(row)}\n`);
}

export function forget() {
  rmSync(FILE, { force: true });
}

const COLUMNS = {
  broken: [
    ...['app', 'bug', 'found', 'kind', 'statement', 'schedule', 'deviations', 'seconds', 'run', 'load'],
    ...['replayed', 'at load', 'busy beside', 'their load'],
  ],
  correct: ['app', 'form', 'schedules', 'left', 'alarms', 'seconds', 'load'],
};

/** The newest row of each copy. */
export function newestOf(rows) {
  return [...new Map(rows.map((row) => [`${row.app} ${row.bug ?? row.form}`, row])).values()];
}

/** The table of rows of one kind. */
export function table(kind, rows) {
  const columns = COLUMNS[kind];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const lines = rows.map((row) => line(columns.map((name) => row[name] ?? '')));
  return [line(columns), line(columns.map(() => '---')), ...lines].join('\n');
}
