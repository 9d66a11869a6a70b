import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { docsPages } from './docs-pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'src', 'dashboard', 'page');
const dist = path.join(root, 'dist');

// Whoever runs the build: the page is not to be tested, but to be used.
process.env.NODE_ENV = 'production';

/** uPlot fails where it is loaded in a browser whose language is none, as in many containers. The page is English. */
export const ENGLISH_CHARTS = {
  name: 'english-charts',
  transform: (code, id) =>
    id.includes('uPlot.esm') ? { code: code.replace('nav.language', "'en'"), map: null } : null,
};

let firstPage;

/** Few files, since each costs a browser more than its bytes: the shell, the page that is seen first, what others share. */
const CHUNKS = [
  { name: 'start', tags: ['$initial'], priority: 3 },
  {
    name: (id, graph) => (isOfFirstPage(id, graph) ? 'first-page' : null),
    ...{ debugName: 'first page', priority: 2 },
  },
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 30_000 },
];

/** The dashboard's page. Nothing is inlined: its content security policy allows files of its own only. */
const built = await build({
  configFile: false,
  root: source,
  base: '/dashboard/',
  logLevel: 'warn',
  plugins: [react(), ENGLISH_CHARTS],
  build: {
    write: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNKS },
        chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
        assetFileNames: ({ names: [name] }) => `assets/${shortName(path.parse(name).name)}-[hash][extname]`,
      },
    },
  },
});

const output = await withHead(built.output);

/** Files of the page, relative to `dist`; those that were there before keep working until they are removed. */
export const files = [];

/** What is in it, in the shape of esbuild's metafiles. */
export const metafile = {
  inputs: Object.fromEntries(
    output
      .flatMap(({ moduleIds = [], originalFileNames = [] }) => [
        ...moduleIds,
        ...originalFileNames.map((name) => path.resolve(source, name)),
      ])
      .map((id) => [path.relative(root, id), {}]),
  ),
};

/** What is worth packing: texts that are longer than a packet of the network. */
const TEXT = /\.(?:js|css|svg|html|json|md)$/;
const SHORT = 1400;
/** The best packing of more than this takes seconds, for a hundredth less. */
const LARGE = 500_000;
const PACKERS = { '.br': packBest, '.gz': promisify(gzip) };

// What others name comes before the page that names it.
const assets = [...output.filter(({ fileName }) => fileName !== 'index.html'), ...docsPages(root)];
const pages = output.filter(({ fileName }) => fileName === 'index.html');
for (const batch of [assets, pages]) await Promise.all(batch.map(writePacked));

/** What several areas share would be named after all of them. */
function shortName(name) {
  return name.split('~')[0];
}

/** Whether the list of requests needs a module. */
function isOfFirstPage(id, graph) {
  firstPage ??= importedBy(path.join(source, 'live', 'live-page.tsx'), graph);
  return firstPage.has(id);
}

/** A module, and what it imports before it runs. */
function importedBy(id, graph, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) importedBy(each, graph, found);
  return found;
}

/**
 * The page with a script in its head that runs before anything is drawn, and with what is fetched beside the shell: the
 * lists of the first page, which most others have too.
 */
async function withHead(files) {
  const text = await readFile(path.join(source, 'early-theme.js'));
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const script = { fileName: `assets/early-theme-${hash}.js`, source: text };
  const style = files.find(({ fileName }) => /\/first-page-[\w-]+\.css$/.test(fileName));
  const tags = [
    `<script src="/dashboard/${script.fileName}"></script>`,
    ...files
      .filter(({ name }) => name === 'first-page' || name === 'live-page')
      .map(({ fileName }) => `<link rel="modulepreload" crossorigin href="/dashboard/${fileName}">`),
  ];
  const rules = `<link rel="stylesheet" crossorigin href="/dashboard/${style.fileName}">`;
  const page = files.find(({ fileName }) => fileName === 'index.html');
  const html = String(page.source)
    .replace('<script type="module"', `${tags.join('\n    ')}\n    $&`)
    .replace('</head>', `  ${rules}\n  $&`);
  return [...files.filter((file) => file !== page), script, { fileName: page.fileName, source: html }];
}

/** A file, and its packed forms beside it, which come first: whoever finds the file finds these. */
async function writePacked({ fileName, code, source }) {
  const bytes = Buffer.from(code ?? source);
  const name = path.join('dashboard', fileName);
  const worth = TEXT.test(fileName) && bytes.length > SHORT;
  for (const [ending, pack] of worth ? Object.entries(PACKERS) : []) {
    await keepOrReplace(name + ending, () => pack(bytes));
  }
  await keepOrReplace(name, () => bytes);
}

function packBest(bytes) {
  const quality = bytes.length > LARGE ? 8 : constants.BROTLI_MAX_QUALITY;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  return promisify(brotliCompress)(bytes, { params });
}

/** What is named by a hash of its contents is packed once: the best packing takes seconds. */
async function keepOrReplace(name, make) {
  files.push(name);
  const file = path.join(dist, name);
  const isKept = path.basename(path.dirname(file)) === 'assets' && (await touch(file));
  if (!isKept) await replaceFile(file, await make());
}

/** Whether there is such a file; its time says that it is of this build too. */
async function touch(file) {
  const now = new Date();
  return await utimes(file, now, now).then(
    () => true,
    () => false,
  );
}

/** Renamed into place, so that whoever reads meanwhile reads a whole file. */
async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}
