import { createHash } from 'node:crypto';
import { readFile, utimes } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { dist, replaceFile, root } from './built-files.mjs';
import { docsPages } from './docs-pages.mjs';

export const source = path.join(root, 'src', 'dashboard', 'page');

// The page is always built for production, whoever runs the build.
process.env.NODE_ENV = 'production';

/** uPlot fails to load in a browser without a language, as in many containers. The page is English. */
const ENGLISH_CHARTS = {
  name: 'english-charts',
  transform: (code, id) =>
    id.includes('uPlot.esm') ? { code: code.replace('nav.language', "'en'"), map: null } : null,
};

let firstPage;

/** Few chunks, because each request has a cost: the shell, the first page, and the rest, which is loaded next. */
const CHUNKS = [
  { name: 'start', tags: ['$initial'], priority: 3 },
  {
    name: (id, graph) => (isOfFirstPage(id, graph) ? 'first-page' : null),
    ...{ debugName: 'first page', priority: 2 },
  },
  { name: 'rest' },
];

/** Builds a page of the dashboard. The caller writes the files. */
export function buildPage({ base, plugins = [], ...options }) {
  const common = { write: false, target: 'es2022', reportCompressedSize: false, chunkSizeWarningLimit: 5000 };
  return build({
    ...{ configFile: false, root: source, base, logLevel: 'warn' },
    plugins: [react(), ENGLISH_CHARTS, ...plugins],
    build: { ...common, ...options },
  });
}

/** The dashboard's page. Nothing is inlined, because its content security policy allows only its own files. */
const built = await buildPage({
  base: '/dashboard/',
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  cssCodeSplit: false,
  rolldownOptions: {
    output: {
      codeSplitting: { groups: CHUNKS },
      chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
      assetFileNames: ({ names: [name] }) => `assets/${shortName(path.parse(name).name)}-[hash][extname]`,
    },
  },
});

refuseCircles(built.output);
const output = await withHead(built.output);

/** Files of this build, relative to `dist`. Files of earlier builds keep working until the build removes them. */
export const files = [];

/** The modules in the page, in the shape of esbuild's metafiles. */
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

/** Worth compressing: text files longer than a network packet. */
const TEXT = /\.(?:js|css|svg|html|json|md)$/;
const SHORT = 1400;
/** Above this size the best compression takes seconds and saves one percent. */
const LARGE = 500_000;
const PACKERS = { '.br': packBest, '.gz': promisify(gzip) };

// Assets are written before the page that refers to them.
const assets = [...output.filter(({ fileName }) => fileName !== 'index.html'), ...docsPages(root)];
const pages = output.filter(({ fileName }) => fileName === 'index.html');
for (const batch of [assets, pages]) await Promise.all(batch.map(writePacked));

/** The build names a shared chunk after all areas that use it, so only the first name is kept. */
function shortName(name) {
  return name.split('~')[0];
}

/** Throws if chunks import each other: one would run before its imports are ready, and the page would stay empty. */
function refuseCircles(chunks) {
  const imported = new Map(chunks.map(({ fileName, imports = [] }) => [fileName, imports]));
  const follow = (name, before) => {
    if (before.includes(name)) throw new Error(`Chunks import each other: ${[...before, name].join(' -> ')}`);
    for (const each of imported.get(name) ?? []) follow(each, [...before, name]);
  };
  for (const name of imported.keys()) follow(name, []);
}

/** Whether the first page, the list of requests, needs a module. */
function isOfFirstPage(id, graph) {
  firstPage ??= importedBy(path.join(source, 'live', 'live-page.tsx'), graph);
  return firstPage.has(id);
}

/** A module and its static imports, direct and indirect. */
function importedBy(id, graph, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) importedBy(each, graph, found);
  return found;
}

/**
 * Adds a script to the head that runs before anything is drawn, and preloads the chunks of the first page. Most other pages
 * need its lists too.
 */
async function withHead(files) {
  const text = await readFile(path.join(source, 'early-theme.js'));
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const script = { fileName: `assets/early-theme-${hash}.js`, source: text };
  const tags = [
    `<script src="/dashboard/${script.fileName}"></script>`,
    ...files
      .filter(({ name }) => name === 'first-page' || name === 'live-page')
      .map(({ fileName }) => `<link rel="modulepreload" crossorigin href="/dashboard/${fileName}">`),
  ];
  const page = files.find(({ fileName }) => fileName === 'index.html');
  const html = String(page.source).replace('<script type="module"', `${tags.join('\n    ')}\n    $&`);
  return [...files.filter((file) => file !== page), script, { fileName: page.fileName, source: html }];
}

/** Writes a file and its compressed forms; the forms first, so that they exist as soon as the file does. */
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

/** A file named by its hash is compressed only once, because that takes seconds. */
async function keepOrReplace(name, make) {
  files.push(name);
  const file = path.join(dist, name);
  const isKept = path.basename(path.dirname(file)) === 'assets' && (await touch(file));
  if (!isKept) await replaceFile(file, await make());
}

/** Whether the file exists; its time is updated to mark it as part of this build. */
async function touch(file) {
  const now = new Date();
  return await utimes(file, now, now).then(
    () => true,
    () => false,
  );
}
