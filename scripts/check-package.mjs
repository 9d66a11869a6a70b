// Checks what `npm pack` would publish, after a build: contents, sizes, entries, types, licences.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { toolModules } from '../test/tools/installed-tools.mjs';
import { typeFaults } from './check-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** npm counts in decimal megabytes. */
const MEGABYTE = 1_000_000;
const TARBALL_LIMIT_MB = 8;
const UNPACKED_LIMIT_MB = 15;
const NEEDED = [
  ...['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md', 'llms.txt', 'skills/svc-emulator/SKILL.md', 'action.yml'],
  ...['dist/main.js', 'dist/index.js', 'dist/types/index.d.ts', 'dist/types/index.d.mts'],
  ...['src/client/python/svc_emulator.py'],
  ...['docs/README.md', 'docs/quickstart.md', 'docs/choices.md', 'CONTRIBUTING.md', 'schemas/world.schema.json'],
  ...['dist/third-party-licences.txt', 'fixtures/font/LICENSE', 'schemas/config.schema.json'],
];
/** Its links to the tests of the repository may be dead in the package. */
const TABLE = 'docs/project/conformance.md';
const UNWANTED = [
  /(^|\/)test\//,
  /\.test\./,
  /\.cache$/,
  /^(src\/(?!base\/database\/schema\.sql|client\/python\/svc_emulator\.py)|scripts\/(?!action-(?:run\.sh|comment\.mjs)$))/,
];
/** Work of others that NOTICE must mention. */
const NOTICED = ['ffmpeg', 'GNU General Public License', 'Noto Sans', 'SIL Open Font License'];

const folder = mkdtempSync(path.join(tmpdir(), 'package-check-'));
try {
  const faults = [
    ...contents(),
    ...licences(),
    ...typeFaults(mkdtempSync(path.join(folder, 'types-'))),
    ...(await entries()),
    ...(await resolutions()),
  ];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function contents() {
  const line = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const told = execFileSync('npm', line, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files, size, unpackedSize }] = Object.values(JSON.parse(told));
  const names = files.map((file) => file.path);
  const megabytes = (size / MEGABYTE).toFixed(1);
  console.log(`${names.length} files, ${megabytes} MB packed, ${(unpackedSize / MEGABYTE).toFixed(1)} MB unpacked`);
  return [
    ...NEEDED.filter((name) => !names.includes(name)).map((name) => `The package lacks ${name}.`),
    ...names
      .filter((name) => UNWANTED.some((sign) => sign.test(name)))
      .map((name) => `${name} is published and should not be.`),
    ...names
      .filter((name) => name.endsWith('.md') && name !== TABLE && !name.startsWith('dist/'))
      .flatMap((name) => deadLinks(name, names)),
    ...(size > TARBALL_LIMIT_MB * MEGABYTE
      ? [`The tarball has ${megabytes} MB; the limit is ${TARBALL_LIMIT_MB}.`]
      : []),
    ...(unpackedSize > UNPACKED_LIMIT_MB * MEGABYTE
      ? [`The package has ${(unpackedSize / MEGABYTE).toFixed(1)} MB unpacked; the limit is ${UNPACKED_LIMIT_MB}.`]
      : []),
  ];
}

/** The links of a page to files that are not published. */
function deadLinks(page, names) {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
    .map(([, target]) => path.posix.join(path.posix.dirname(page), target))
    .filter((target) => !names.includes(target) && !names.some((name) => name.startsWith(`${target}/`)))
    .map((target) => `${page} links to ${target}, which is not published.`);
}

function licences() {
  const notice = readFileSync(path.join(root, 'NOTICE'), 'utf8');
  const chapters = readFileSync(path.join(root, 'dist', 'third-party-licences.txt'), 'utf8').split(/^(?=## )/m);
  const bare = chapters.filter((chapter) => chapter.trim().split('\n').length < 3);
  return [
    ...NOTICED.filter((word) => !notice.includes(word)).map((word) => `NOTICE does not mention ${word}.`),
    ...bare.map((chapter) => `${chapter.trim()} is bundled without the text of its licence.`),
  ];
}

async function entries() {
  const modules = await toolModules();
  const tool = (file) => import(pathToFileURL(path.join(modules, 'publint', 'src', file)).href);
  const [{ publint }, { formatMessage }] = [await tool('index-node.js'), await tool('utils.js')];
  const { messages, pkg } = await publint({ pkgDir: root, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** Errors in how TypeScript resolves the published entries: those that can be required, and those for ES modules only. */
async function resolutions() {
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys(exports).filter((name) => typeof exports[name] === 'object');
  const required = names.filter((name) => exports[name].require);
  const faults = [
    { profile: 'node16', entries: required },
    { profile: 'esm-only', entries: names.filter((name) => !required.includes(name)) },
  ].map(async ({ profile, entries }) => {
    const attw = path.join(await toolModules(), '.bin/attw');
    const line = [
      path.join(folder, tarball),
      '--profile',
      profile,
      '--no-color',
      '--no-emoji',
      '--entrypoints',
      ...entries,
    ];
    const { stdout, code = 0 } = await promisify(execFile)(attw, line).catch((error) => error);
    return code === 0 ? [] : [`attw --profile ${profile}:\n${stdout}`];
  });
  return (await Promise.all(faults)).flat();
}
