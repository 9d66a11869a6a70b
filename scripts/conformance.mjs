import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = path.join(root, 'docs', 'project', 'conformance.md');
const readme = path.join(root, 'README.md');
const rules = readJson('test/conformance/rules.json');
const choices = readJson('fixtures/choices.json');

/** Test titles end in their rules, or in a placeholder. With a placeholder, the rows of the test contain the rules. */
const TAGGED = /(['"`])((?:\\.|(?!\1)[^\\\n])*?) ?\[([RI]\d{3}(?: [RI]\d{3})*)\]\1/g;
const PLACEHOLDER = /(['"`])((?:\\.|(?!\1)[^\\\n])*?) ?\[(?:%s|\$\w+)\]\1/g;
const BARE = /(['"`])([RI]\d{3}(?: [RI]\d{3})*)\1/g;

/** Client packages that the tests use as a user would. */
const CLIENTS = ['openai', 'ai', '@ai-sdk/openai-compatible', 'openapi-fetch', 'stripe'];

const tests = testFiles().flatMap(readTests);
const faults = [...unknownTags(), ...unknownRules(), ...untested()];
const written = new Map([[page, renderPage()], [readme, withBlock(readIfThere(readme))], ...(await referencePages())]);

if (process.argv.includes('--check')) check();
else for (const [file, text] of written) writeFileSync(file, text);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function check() {
  for (const [file, text] of written) {
    if (readIfThere(file) === text) continue;
    faults.push(`${path.relative(root, file)} is stale: run npm run conformance and commit it.`);
  }
}

/** Replaces the table between the two `proven` comments of the README. */
function withBlock(text) {
  const block = /(<!-- proven[^\n]*-->\n)[\s\S]*?(<!-- \/proven -->)/;
  if (!block.test(text)) faults.push('README.md lacks the comments <!-- proven --> and <!-- /proven -->.');
  return text.replace(block, (_all, begin, end) => `${begin}${renderProven()}\n${end}`);
}

/** The table with what is tested, not tested and not modelled. Its numbers come from the tests and docs/project/proof.md. */
function renderProven() {
  const held = rules.filter((rule) => testsOf(rule).length > 0).length;
  const proof = readIfThere(path.join(root, 'docs', 'project', 'proof.md'));
  const done = (part) => new RegExp(`^\\| ${part} \\| ([\\d,]+) \\|`, 'm').exec(proof)?.[1] ?? '0';
  return [
    '| | |',
    '| --- | --- |',
    `| **Tested** | ${tests.length} tests cover ${held} of ${rules.length} [rules](docs/project/conformance.md) of the service |`,
    `| | The tests use these unmodified clients: ${usedClients().join(', ')} |`,
    `| | No credit was lost or invented in ${done('kills')} \`kill -9\` and ${done('mutated requests')} mutated requests ([proof](docs/project/proof.md)) |`,
    '| **Not tested** | The real service. [Compare](docs/compare.md) checks a recording of it |',
    '| | Windows and macOS. All results are from Linux x64 |',
    '| **Not modelled** | The quality of engines. Media are placeholders, and replies come from word banks |',
  ].join('\n');
}

function usedClients() {
  const sources = testFiles().map((file) => readFileSync(path.join(root, file), 'utf8'));
  const { devDependencies } = readJson('package.json');
  return CLIENTS.filter((name) => sources.some((text) => text.includes(`from '${name}'`))).map(
    (name) => `\`${name}\` ${devDependencies[name].replace(/^[~^]/, '')}`,
  );
}

function testFiles() {
  return readdirSync(path.join(root, 'test'), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
    .sort();
}

function readTests(file) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const placeholders = [...source.matchAll(PLACEHOLDER)];
  // The rows of `it.each` come before the title of their test.
  const titleAfter = (index) => (placeholders.find((found) => found.index > index) ?? placeholders.at(-1))?.[2];
  const bare = placeholders.length > 0 ? [...source.matchAll(BARE)] : [];
  const rows = bare.map(({ 2: ids, index }) => ({ title: titleAfter(index), ids }));
  const titled = [...source.matchAll(TAGGED)].map(([, , title, ids]) => ({ title, ids }));
  return [...titled, ...rows].map(({ title, ids }) => ({
    file,
    title: title.replace(/\\(.)/g, '$1'),
    ids: ids.split(' '),
  }));
}

function unknownTags() {
  const known = new Set(rules.map(({ id }) => id));
  return tests.flatMap(({ file, title, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${file}: "${title}" names ${id}, which is not a rule.`),
  );
}

function unknownRules() {
  const known = new Set(rules.map(({ id }) => id));
  return choices.flatMap(({ id, rules: named = [] }) =>
    named
      .filter((rule) => !known.has(rule))
      .map((rule) => `fixtures/choices.json: ${id} names ${rule}, which is not a rule.`),
  );
}

function untested() {
  return rules
    .filter((rule) => !rule.untested && testsOf(rule).length === 0)
    .map(({ id, text }) => `${id} has no test: ${text}`);
}

function testsOf({ id }) {
  return tests.filter(({ ids }) => ids.includes(id));
}

function renderPage() {
  const sections = [...new Set(rules.map(({ section }) => section))];
  const held = rules.filter((rule) => testsOf(rule).length > 0).length;
  return `${[
    '# Conformance',
    '',
    `${rules.length} rules, ${held} with tests. R: the service promises it. I: the emulator adds it. C: a [choice](../choices.md) about it.`,
    'The titles of the tests end in the rules that they test; `npm run conformance` writes this page from them.',
    ...sections.map(renderSection),
  ].join('\n')}\n`;
}

function renderSection(section) {
  const rows = rules
    .filter((rule) => rule.section === section)
    .map((rule) => `| ${rule.id} | ${cell(rule.text)}${renderChoices(rule)} | ${renderTests(rule)} |`);
  return ['', `## ${section}`, '', '| | Rule | Tests |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The choices about a rule, each as a link to its section of docs/choices.md. */
function renderChoices({ id }) {
  return choices
    .filter((choice) => choice.rules?.includes(id))
    .map((choice) => ` [${choice.id}](../choices.md#${anchorOf(choice.area)})`)
    .join('');
}

function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function renderTests(rule) {
  if (rule.untested) return `nothing to test: ${rule.untested}`;
  const files = [...new Set(testsOf(rule).map(({ file }) => file))];
  return files.map((file) => `[${path.basename(file, '.test.ts')}](../../${file})`).join(', ') || 'no test';
}

function cell(text) {
  return text.replaceAll('|', '\\|').replace(/<(\w)/g, '&lt;$1');
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
