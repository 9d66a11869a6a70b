import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);

/** What runs beside the service, in threads and processes of its own. Native and heavy packages stay outside. */
const WORKERS = {
  'checkpoint-worker': 'src/database/checkpoint-worker.ts',
  'render-worker': 'src/render/render-worker.ts',
  'sql-reader': 'src/sql/sql-reader.ts',
};

await mkdir(new URL('dist/', root), { recursive: true });
// It lies beside the worker whose shaping of text it does.
await copyFile(
  createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz.wasm'),
  new URL('dist/harfbuzz.wasm', root),
);
const external = ['better-sqlite3', 'sharp', 'fluent-ffmpeg', '@ffmpeg-installer/ffmpeg'];
for (const [name, source] of Object.entries(WORKERS)) {
  const target = fileURLToPath(new URL(`dist/${name}.js`, root));
  const fresh = `${target}.${process.pid}`;
  await build({
    entryPoints: [fileURLToPath(new URL(source, root))],
    outfile: fresh,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external,
    logLevel: 'warning',
  });
  // Renamed into place, so that whoever starts a worker meanwhile reads a whole file.
  await rename(fresh, target);
}

const empty = fileURLToPath(new URL('dist/empty.db', root));
makeEmptyDatabase(`${empty}.${process.pid}`);
await rename(`${empty}.${process.pid}`, empty);

/** What a new data folder begins with: this version's tables, whose making would take longest of all that a start does. */
function makeEmptyDatabase(file) {
  const folder = new URL('src/database/migrations/', root);
  const steps = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  rmSync(file, { force: true });
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.exec(`BEGIN;\n${steps.join('\n')}\nPRAGMA user_version = ${steps.length};\nCOMMIT;`);
  database.close();
}
