import { mkdir, rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);
const target = fileURLToPath(new URL('dist/render-worker.js', root));
const fresh = `${target}.${process.pid}`;

/** Bundles the render worker; native and heavy packages stay outside. */
await mkdir(new URL('dist/', root), { recursive: true });
await build({
  entryPoints: [fileURLToPath(new URL('src/render/render-worker.ts', root))],
  outfile: fresh,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  external: ['sharp', 'fluent-ffmpeg', '@ffmpeg-installer/ffmpeg'],
  logLevel: 'warning',
});
// Renamed into place, so that whoever starts a worker meanwhile reads a whole file.
await rename(fresh, target);
