// Lints both OpenAPI documents, in both versions, with Redocly.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolModules } from '../test/tools/installed-tools.mjs';
import { bundleForNode, root } from './built-files.mjs';

const folder = path.join(root, 'node_modules', '.cache', 'documents');

const files = await writeDocuments();
// Without a configuration, Redocly applies its recommended rules.
const { stdout, stderr, code } = await lint(files);
// Warnings do not change the exit code, and standard error contains only the progress.
if (stdout !== '' || code !== 0) {
  console.error(`redocly:\n${stdout}${stderr}`);
  process.exitCode = 1;
}

/** Writes a package whose imports resolve without a build. The workers that they name are never started. */
function writePackage() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.join(root, 'fixtures'), path.join(folder, 'fixtures'));
  const { imports, ...about } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const replaced = Object.keys(imports).map((name) => [name, './documents.mjs']);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...about, imports: Object.fromEntries(replaced) }));
}

async function writeDocuments() {
  writePackage();
  const modules = ['control/openapi/openapi-document', 'control/openapi/json-schema', 'engine/catalogue/catalogue'];
  const contents = modules.map((name) => `export * from './src/${name}.ts';`).join('\n');
  const bundle = await bundleForNode(contents, path.join(folder, 'documents.mjs'));
  const { OpenapiDocuments, OPENAPI_VERSIONS, readShippedCatalogue } = await import(bundle);
  const documents = new OpenapiDocuments(readShippedCatalogue());
  const written = OPENAPI_VERSIONS.flatMap((version) =>
    ['service', 'control'].map(async (name) => {
      const file = path.join(folder, `${name}-${version}.json`);
      writeFileSync(file, JSON.stringify(await documents[name](version), null, 2));
      return file;
    }),
  );
  return await Promise.all(written);
}

async function lint(documents) {
  const program = path.join(await toolModules(), '.bin', 'redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const line = ['lint', '--max-problems', '1000', ...documents];
  const outcome = promisify(execFile)(program, line, { cwd: folder, env, maxBuffer: 2 ** 26 });
  return await outcome.then((said) => ({ ...said, code: 0 })).catch((error) => error);
}
