import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { dist, EXTERNAL, REQUIRE, replaceFile, root } from './built-files.mjs';

/** zod contains texts in fifty languages. Loading all but English would take a tenth of a start. */
const ENGLISH_ONLY = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Express knows thousands of media types, most of them of vendors. Building its maps takes some milliseconds of a start,
 * and the emulator sets its own types.
 */
const USUAL_TYPES = {
  name: 'usual-types',
  setup({ onLoad }) {
    onLoad({ filter: /mime-db[\\/]db\.json$/ }, async ({ path: file }) => {
      const all = Object.entries(JSON.parse(await readFile(file, 'utf8')));
      const usual = all.filter(([type, { extensions }]) => extensions && !/\/(?:x-|vnd\.)/.test(type));
      return { contents: JSON.stringify(Object.fromEntries(usual)), loader: 'json' };
    });
  },
};

/** Express includes body parsers with hundreds of encodings. The emulator reads bodies itself. */
const NO_BODY_READERS = {
  name: 'no-body-readers',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]body-parser[\\/]index\.js$/ }, () => ({ contents: '' }));
  },
};

/** undici also has a fetch, agents, caches, mocks and proxies, which take twice as long to load as its client. */
const UNDICI_CLIENT = {
  name: 'undici-client',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `
        Object.assign(require('./lib/dispatcher/dispatcher').prototype, require('./lib/api'));
        module.exports = { Client: require('./lib/dispatcher/client') };`,
    }));
  },
};

/** Makes the library use Node's own timers and other globals, even if a test runner replaces them later. */
const REAL_GLOBALS = ['src/base/clock/real-globals.ts'];

/** Not bundled, because each is a package of the project under test. */
const RUNNERS = ['vitest', '@playwright/test'];

/** The modules of `src` that the entries for `import` use. Their build adds them, and then the library exports them. */
const sharedModules = new Set();

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: EXTERNAL,
  legalComments: 'none',
  plugins: [ENGLISH_ONLY, USUAL_TYPES, NO_BODY_READERS, UNDICI_CLIENT],
  outdir: dist,
  write: false,
  metafile: true,
  logLevel: 'warning',
};

/**
 * The whole program as one function expression, so that its V8 code cache covers all of it (`src/cli/load-program.ts`).
 * Modules that are imported lazily are still evaluated lazily.
 */
const PROGRAM = {
  ...COMMON,
  entryPoints: { program: 'src/cli/program.ts' },
  entryNames: '[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // Every start reads the text, and it stays in memory while the program runs.
  minify: true,
  define: { 'import.meta.url': 'moduleUrl' },
  // External packages are required, because code from a V8 cache cannot resolve import().
  supported: { 'dynamic-import': false },
  banner: {
    js: "(function (exports, require, __filename) { const module = { exports }, moduleUrl = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '; Object.assign(exports, module.exports) })' },
};

const LAUNCHER = {
  ...COMMON,
  entryPoints: { main: 'src/cli/main.ts', 'load-program': 'src/cli/load-program.ts' },
  format: 'esm',
};

/** Without comments and spaces; names stay, for stack traces. */
const SHORT = { minifyWhitespace: true, minifySyntax: true };

/**
 * The library: one file for all entries, so that they share their classes. A test process loads it for each file of tests,
 * and Node loads one CommonJS file faster than many ES modules. Jest runs neither import() nor a required ES module
 * without a flag.
 */
const libraryBuild = () => ({
  ...COMMON,
  stdin: {
    contents: [
      "export * as index from './src/index.ts'; export * as jest from './src/client/runners/jest.ts';",
      ...[...sharedModules].toSorted().map((file) => `export * from './src/${file}';`),
    ].join('\n'),
    resolveDir: root,
  },
  // undici is bundled, so that it uses Node's own timers too.
  external: EXTERNAL.filter((name) => name !== 'undici'),
  inject: REAL_GLOBALS,
  ...SHORT,
  outdir: path.join(dist, 'cjs'),
  entryNames: 'library',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  define: { 'import.meta.url': 'moduleUrl' },
  supported: { 'dynamic-import': false },
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
});
const COMMON_JS_ENTRIES = ['index', 'jest'];

/** Loads the library with require. If it were imported, Node would first search the CommonJS file for its exports. */
const REQUIRE_LIBRARY = {
  name: 'require-library',
  setup({ onResolve, onLoad }) {
    const file = './cjs/library.cjs';
    onResolve({ filter: /^\.\.?\// }, ({ kind, path: wanted, resolveDir }) => {
      if (wanted === file) return { path: file, external: true };
      if (kind === 'entry-point') return undefined;
      sharedModules.add(path.relative(path.join(root, 'src'), path.join(resolveDir, wanted)));
      return { path: file, namespace: 'library' };
    });
    onLoad({ filter: /./, namespace: 'library' }, () => ({ contents: `module.exports = require('${file}');` }));
  },
};

/** The entries for `import`. Each contains only its own module. */
const ENTRIES = {
  ...COMMON,
  entryPoints: {
    index: 'src/index.ts',
    vitest: 'src/client/runners/vitest.ts',
    jest: 'src/client/runners/jest.ts',
    'node-test': 'src/client/runners/node-test.ts',
    playwright: 'src/client/runners/playwright.ts',
  },
  external: RUNNERS,
  plugins: [REQUIRE_LIBRARY],
  banner: { js: REQUIRE },
  ...SHORT,
  format: 'esm',
};

/** The schemas for an app in production, which must not load the emulator. */
const EVENTS = { ...COMMON, entryPoints: { events: 'src/events.ts' }, ...SHORT, format: 'esm' };

/** Licences that do not require their text to be included. */
const PUBLIC_DOMAIN = {
  Unlicense: 'Its authors gave it to the public domain: https://unlicense.org',
  'CC0-1.0': 'Its authors gave it to the public domain: https://creativecommons.org/publicdomain/zero/1.0',
};

const FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

const began = Date.now();
const metafiles = [];
await mkdir(dist, { recursive: true });
if (process.argv.includes('--only-types')) {
  await declareTypes();
  process.exit();
}
// Takes as long as all the other steps together, so it runs in parallel.
const types = process.argv.includes('--no-types') ? undefined : declareTypes();
const pages = Promise.all([import('./build-page.mjs'), import('./build-trace-page.mjs')]);
await import('./build-worker.mjs');
const entries = [...(await bundle(ENTRIES)), ...(await bundle(EVENTS))];
await bundle(libraryBuild());
await escapePatterns(path.join(dist, 'cjs', 'library.cjs'));
for (const name of COMMON_JS_ENTRIES) {
  await replaceFile(path.join(dist, 'cjs', `${name}.cjs`), `module.exports = require('./library.cjs').${name};\n`);
}
const program = await bundle(PROGRAM);
const programFile = program.find((file) => file.endsWith('.cjs'));
await escapePatterns(path.join(dist, programFile));
const launcher = await bundle({
  ...LAUNCHER,
  define: { PROGRAM_FILE: JSON.stringify(`./${programFile}`) },
});
// npm makes the file executable when it installs the package, but nothing does that here.
await chmod(path.join(dist, 'main.js'), 0o755);
const [page, trace] = await pages;
const licences = 'third-party-licences.txt';
await replaceFile(path.join(dist, licences), thirdPartyLicences([...metafiles, page.metafile]));
const codeCache = cacheCode();
await types;
await removeAllBut(
  new Set([
    ...['types', 'cjs', 'render-worker.js', 'copy-worker.js', 'empty.db'],
    ...[licences, codeCache, ...page.files, trace.file, ...entries, ...program, ...launcher],
  ]),
);

async function bundle(options) {
  const { outputFiles, metafile } = await build({ ...options, absWorkingDir: root });
  metafiles.push(metafile);
  await Promise.all(outputFiles.map(({ path: file, contents }) => replaceFile(file, contents)));
  return outputFiles.map(({ path: file }) => path.relative(dist, file));
}

/** V8 keeps ASCII text at one byte a character. esbuild escapes other characters, but not in regular expressions. */
async function escapePatterns(file) {
  const code = await readFile(file, 'utf8');
  const ascii = code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (ascii !== code) await replaceFile(file, ascii);
}

/** Only writes the declarations. `npm run types` checks the types. */
async function declareTypes() {
  const script = 'scripts/declare-types.mjs';
  const [status] = await once(spawn(process.execPath, [script], { cwd: root, stdio: 'inherit' }), 'close');
  if (status !== 0) fail(script);
}

/** The licence texts of every package whose code is in a bundle, from esbuild's metafiles. */
function thirdPartyLicences(metafiles) {
  const folders = metafiles
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((input) => FOLDER.exec(input)?.[1])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)]
    .sort()
    .map((folder) => chapter(path.join(root, folder)))
    .join('\n');
}

function chapter(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)|\.licen[cs]e\.txt$/i.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  if (texts.length === 0 && PUBLIC_DOMAIN[license]) texts.push(PUBLIC_DOMAIN[license]);
  return [`## ${name} ${version} (${license})`, '', ...new Set(texts), ''].join('\n');
}

/** Starts the program once and caches the code that V8 compiled, for this exact version of Node. */
function cacheCode() {
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(process.execPath, ['scripts/write-code-cache.mjs'], options);
  if (status !== 0) fail('scripts/write-code-cache.mjs');
  return stdout.trim();
}

/** The script has already printed the reason to standard error. */
function fail(step) {
  console.error(`The build failed at ${step}.`);
  process.exit(1);
}

/** Keeps files that are newer than the start of this build, because they belong to a parallel build. */
async function removeAllBut(kept) {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dist, path.join(entry.parentPath, entry.name)))
    .filter((file) => !kept.has(file) && !kept.has(file.split(path.sep)[0]));
  await Promise.all(files.map((file) => removeOld(path.join(dist, file))));
}

async function removeOld(file) {
  const { mtimeMs } = await stat(file);
  if (mtimeMs < began) await rm(file, { force: true });
}
