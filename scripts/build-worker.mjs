import { chmodSync, rmSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);

/** What runs beside the service, in threads and processes of its own. Native and heavy packages stay outside. */
const WORKERS = {
  'render-worker': 'src/media/render-worker.ts',
};

const BUNDLED = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  external: ['sharp', 'fluent-ffmpeg', '@ffmpeg-installer/ffmpeg'],
  logLevel: 'warning',
};

await mkdir(new URL('dist/', root), { recursive: true });
for (const [name, source] of Object.entries(WORKERS)) {
  const target = fileURLToPath(new URL(`dist/${name}.js`, root));
  const fresh = `${target}.${process.pid}`;
  await build({ ...BUNDLED, entryPoints: [fileURLToPath(new URL(source, root))], outfile: fresh });
  // Renamed into place, so that whoever starts a worker meanwhile reads a whole file.
  await rename(fresh, target);
}

const empty = fileURLToPath(new URL('dist/empty.db', root));
await makeEmptyDatabase(`${empty}.${process.pid}`);
await rename(`${empty}.${process.pid}`, empty);

/** What a new data folder begins with: this version's tables, whose making would take longest of all that a start does. */
async function makeEmptyDatabase(file) {
  const maker = `${file}.mjs`;
  const contents = `export { Connection } from './connection.ts'; export { migrate } from './migrate.ts';`;
  const resolveDir = fileURLToPath(new URL('src/base/database/', root));
  await build({ ...BUNDLED, stdin: { contents, resolveDir, loader: 'ts' }, outfile: maker });
  const { Connection, migrate } = await import(pathToFileURL(maker));
  rmSync(maker);
  rmSync(file, { force: true });
  const connection = new Connection(file, { mode: 'durable' });
  migrate(connection);
  connection.close();
  // Of a data folder only its owner may read; this is anybody's.
  chmodSync(file, 0o644);
}
