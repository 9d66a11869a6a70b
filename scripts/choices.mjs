// Writes the tables of docs/choices.md from fixtures/choices.json. With --check, it only reports if they are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../docs/choices.md', import.meta.url));
const choices = JSON.parse(readFileSync(new URL('../fixtures/choices.json', import.meta.url), 'utf8'));

/** The rows of a table, from its first line with a bar to its last. */
const TABLE = /^\|.*\n(?:\|.*\n?)*/m;

const before = readFileSync(page, 'utf8');
const written = before
  .split(/^(?=## )/m)
  .map((section) => (section.startsWith('## ') ? withTable(section) : section))
  .join('');

if (!process.argv.includes('--check')) writeFileSync(page, written);
else if (before !== written) {
  console.error('docs/choices.md is stale: change fixtures/choices.json, run npm run choices, and commit both.');
  process.exitCode = 1;
}

function withTable(section) {
  const area = section.slice(3, section.indexOf('\n'));
  const rows = choices
    .filter((choice) => choice.area === area)
    .map(({ id, open, here }) => `| ${id} | ${open} | ${here} |`);
  const head = ['| Id | Left open | Here |', '| --- | --- | --- |'];
  return section.replace(TABLE, () => `${[...head, ...rows].join('\n')}\n`);
}
