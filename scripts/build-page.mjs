import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'src', 'dashboard', 'page');
const dist = path.join(root, 'dist');

// Whoever runs the build: the page is not to be tested, but to be used.
process.env.NODE_ENV = 'production';

/** The dashboard's page. Nothing is inlined: its content security policy allows files of its own only. */
const { output } = await build({
  configFile: false,
  root: source,
  base: '/dashboard/',
  logLevel: 'warn',
  plugins: [react()],
  build: {
    write: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});

/** Files of the page, relative to `dist`; those that were there before keep working until they are removed. */
export const files = output.map(({ fileName }) => path.join('dashboard', fileName));

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

// What others name comes before the page that names it.
for (const file of output.toSorted((a, b) => rank(a) - rank(b))) {
  await replaceFile(path.join(dist, 'dashboard', file.fileName), file.code ?? file.source);
}

function rank({ fileName }) {
  return fileName === 'index.html' ? 1 : 0;
}

/** Renamed into place, so that whoever reads meanwhile reads a whole file. */
async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}
