// Makes docs/commands.md and the tables of control operations in docs/http-api.md from the definitions in the code.
// `conformance.mjs` calls it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode, root } from './built-files.mjs';
import { commandsPage } from './commands-page.mjs';

/** The titles of the tables, each with the first words of its paths below /_emulator. */
const GROUPS = {
  'Accounts and money': ['accounts', 'keys', 'spending'],
  'Jobs and waiting': ['jobs', 'progression', 'wait'],
  'Clock and state': ['health', 'clock', 'reset', 'snapshots', 'invariants'],
  'Faults and scripted answers': ['faults', 'effects', 'holds', 'fixtures'],
  Webhooks: ['endpoints', 'events', 'deliveries', 'inbox', 'verify'],
  History: ['requests', 'explain', 'orders', 'timeline', 'search', 'verdict', 'trace', 'record', 'notes'],
  'Renders and files': ['models', 'library', 'objects', 'elements'],
  Flows: ['flows', 'runs'],
};
const OTHER = 'Other';

/** Fields that the page describes once, for all lists. */
const COMMON = /^(?:\$.*|limit|after)$/;
const COMMON_OF_LISTS = /^(?:account_id|q)$/;

/** Pairs of a file and its new text. */
export async function referencePages() {
  const sources = [
    'control/control-routes',
    'control/control-operation',
    'service/unknown-path',
    'cli/program',
    'base/config/config',
    'base/config/config-options',
  ];
  const contents = sources.map((name) => `export * from './src/${name}.ts';`).join('\n');
  const bundle = await bundleForNode(contents, path.join(root, 'node_modules', '.cache', 'reference', 'bundle.mjs'));
  const definitions = await import(pathToFileURL(bundle).href);
  const reference = path.join(root, 'docs', 'http-api.md');
  return [
    [reference, withOperations(readFileSync(reference, 'utf8'), definitions)],
    [path.join(root, 'docs', 'commands.md'), commandsPage(definitions)],
  ];
}

/** Replaces what is below `### ` headings of the section on control operations. */
function withOperations(text, definitions) {
  const tables = tablesOf(definitions);
  return text.replace(
    /(\n## Control operations\n[\s\S]*?)\n### [\s\S]*?(?=\n## )/,
    (_all, begin) => `${begin}\n${tables}`,
  );
}

function tablesOf({ CONTROL_OPERATIONS, subjectOfPath, formatPathTemplate }) {
  const titles = Object.keys(GROUPS);
  const groupOf = ({ path: at }) => titles.find((title) => GROUPS[title].includes(subjectOfPath(at))) ?? OTHER;
  const sections = [...titles, OTHER].map((title) => {
    const rows = CONTROL_OPERATIONS.filter((operation) => groupOf(operation) === title).map((operation) => {
      const fields = [...shapeOf(operation.query), ...shapeOf(operation.body)].filter(
        (name) => !COMMON.test(name) && !(operation.name.startsWith('list') && COMMON_OF_LISTS.test(name)),
      );
      const named = fields.map((name) => `\`${name}\``).join(', ');
      return `| \`${operation.method} ${formatPathTemplate(operation.path)}\` | \`${operation.name}\` | ${summaryOf(operation)} | ${named} |`;
    });
    if (rows.length === 0) return '';
    return [`### ${title}`, '', '| Path | Name | Purpose | Fields |', '| --- | --- | --- | --- |', ...rows, ''].join(
      '\n',
    );
  });
  return sections.filter(Boolean).join('\n');
}

/** The page says once that lists are newest first. */
function summaryOf({ summary }) {
  return summary.replace(', newest first', '');
}

function shapeOf(schema) {
  return Object.keys(schema?.shape ?? {});
}
