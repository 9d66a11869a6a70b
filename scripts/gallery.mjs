import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Node runs no TypeScript, so the gallery is bundled first: `npm run gallery`, or with `-- --languages` that of languages. */
const page = process.argv.includes('--languages') ? 'gallery-languages.ts' : 'gallery-page.ts';
const outfile = fileURLToPath(new URL(`../dist/gallery-${process.pid}.js`, import.meta.url));

await mkdir(new URL('../dist/', import.meta.url), { recursive: true });
await build({
  entryPoints: [fileURLToPath(new URL(page, import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(outfile);
}
