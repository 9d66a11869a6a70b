// Checks the prose of docs, help and messages. A banned opening is an error. A long sentence, a habit or a retired word is a
// warning. `npm run prose` prints the errors, and with `-- --all` also the warnings.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode, root } from './built-files.mjs';

const MAX = 25;
const BANNED = /^(?:Of (?:an?|the|all|what|each|those)|What (?:is|are|was|were|has|had|a|the|comes)) /;
const HABITS =
  /\b(?:anew|mend(?:s|ed)?|beside|goes on|go on|is told|as ever|that there (?:is|are) not|there is not)\b|, also where|(?<!\bthere )\bis no \w/i;
/** Words that the product no longer uses. The glossary of docs/README.md contains the current words. */
const RETIRED = /\b(?:lie|lies|lied|liberty|liberties|unstruck|swimlanes?|mutants?|control surface|placebo)\b/i;

/** The sentences of a Markdown text: code is one word, a table cell is a text of its own. */
function sentencesOf(markdown) {
  const texts = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->|<\/?\w+[^>]*>/g, '')
    .replace(/^```[\s\S]*?^```$/gm, '\n')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .split(/ · |\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+\. ))/)
    .flatMap((text) => (text.trim().startsWith('|') ? text.split('|') : [text.replace(/^\s*(?:[-*#>]+|\d+\.) /, '')]));
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .flatMap((text) => text.split(/(?<=[.!?]) (?=["A-Z(])/))
    .filter((text) => text.split(' ').length > 2);
}

/** The first fault of a sentence; undefined if it has none. */
function faultOf(sentence) {
  if (BANNED.test(sentence) && sentence.endsWith('.')) return 'error: opening';
  const words = sentence.split(' ').length;
  if (words > MAX) return `warning: ${words} words`;
  const [habit] = HABITS.exec(sentence) ?? RETIRED.exec(sentence) ?? [];
  return habit === undefined ? undefined : `warning: "${habit.trim()}"`;
}

/** Every text that a user reads, with the file that contains it. */
async function texts() {
  const pages = [
    ...markdownFiles('docs'),
    ...markdownFiles('skills'),
    ...markdownFiles('examples'),
    'README.md',
    'CONTRIBUTING.md',
    'llms.txt',
  ];
  const written = pages.filter((file) => !file.endsWith('conformance.md')).map((file) => [file, read(file)]);
  const sources = files('src').filter((file) => /\.tsx?$/.test(file));
  const said = sources.map((file) => [
    file,
    [...read(file).matchAll(/'([A-Z][^'\n]* [^'\n]*[.:])'/g)].map(([, text]) => text).join('\n\n'),
  ]);
  const bundle = path.join(root, 'node_modules', '.cache', 'reference', 'program.mjs');
  const { createProgram } = await import(pathToFileURL(await bundleForNode('src/cli/program.ts', bundle)).href);
  const commands = createProgram().commands.flatMap((command) => [command, ...command.commands]);
  const help = commands.flatMap((command) => [
    command.description(),
    ...command.options.map(({ description }) => description),
  ]);
  return [...written, ...said, ['--help', help.join('\n\n')]];
}

function files(folder) {
  return readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.posix.join(folder, name));
}

function markdownFiles(folder) {
  return files(folder).filter((file) => file.endsWith('.md'));
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

if (import.meta.filename === process.argv[1]) {
  const found = (await texts()).flatMap(([file, text]) =>
    sentencesOf(text).flatMap((sentence) => {
      const fault = faultOf(sentence);
      return fault === undefined ? [] : [`${file}: ${fault}: ${sentence.slice(0, 140)}`];
    }),
  );
  const errors = found.filter((line) => line.includes(': error: '));
  for (const line of process.argv.includes('--all') ? found : errors) console.error(line);
  console.error(
    `prose: ${errors.length} errors, ${found.length - errors.length} warnings (npm run prose -- --all lists them)`,
  );
  if (errors.length > 0) process.exitCode = 1;
}
