// Writes the declarations of the package: those of its entries and of the modules that they import, not all of the emulator.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { dist, root } from './built-files.mjs';
import { writtenOut } from './written-out.mjs';

const target = path.join(dist, 'types');
const source = path.join(root, 'src');

/** Types that are inferred from schemas. They are written out, because their declarations would import the schemas. */
const WRITTEN_OUT = {
  'base/config/config.ts': 'ConfigOptions',
  'check/report.ts': 'CheckReport',
  'control/operation-types.ts': 'WireTypesByOperation',
};

/** Modules that exist only as ES modules. All others are declared as CommonJS, which both kinds of modules can import. */
const ES_MODULES = new Set([
  ...['events', 'engine/webhooks/event-schemas'],
  ...['client/runners/vitest', 'client/runners/node-test', 'client/runners/playwright'],
]);
/** Entries of both kinds. Their declarations for ES modules re-export those for CommonJS. */
const BOTH = ['index', 'client/runners/jest'];

const program = openProgram();
const checker = program.getTypeChecker();
const declared = new Map();
for (const entry of [
  ...BOTH,
  'events',
  'client/runners/vitest',
  'client/runners/node-test',
  'client/runners/playwright',
]) {
  declare(`${entry}.ts`);
}
rmSync(target, { recursive: true, force: true });
for (const [name, text] of declared) write(fileOf(name), text);
for (const name of BOTH) write(`${name}.d.mts`, `export * from './${path.basename(name)}.js';\n`);
write('package.json', '{ "type": "commonjs" }\n');

function openProgram() {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram(fileNames, options);
}

/** Declares a source file, and the files that its declarations import. */
function declare(name) {
  if (declared.has(name)) return;
  const text = name in WRITTEN_OUT ? alias(name, WRITTEN_OUT[name]) : emitted(name);
  const from = path.posix.dirname(name);
  const imported = [];
  const rewritten = text.replace(/((?:from |import\()["'])(\.[^"']+)\.ts(["'])/g, (_all, before, to, after) => {
    const module = path.posix.join(from, to);
    imported.push(`${module}.ts`);
    return `${before}${to}.${ES_MODULES.has(module) ? 'mjs' : 'js'}${after}`;
  });
  declared.set(name, rewritten);
  for (const each of imported) declare(each);
}

function emitted(name) {
  let text;
  program.emit(sourceOf(name), (_file, content) => (text = content), undefined, true);
  if (text === undefined) throw new Error(`src/${name} has no declarations.`);
  return text;
}

function alias(name, type) {
  const module = checker.getSymbolAtLocation(sourceOf(name));
  const symbol = checker.getExportsOfModule(module).find((each) => each.name === type);
  return `export type ${type} = ${writtenOut(checker, checker.getDeclaredTypeOfSymbol(symbol))};\n`;
}

function sourceOf(name) {
  const file = program.getSourceFile(path.join(source, name));
  if (!file) throw new Error(`There is no src/${name}.`);
  return file;
}

function fileOf(name) {
  const module = name.slice(0, -'.ts'.length);
  return `${module}.d.${ES_MODULES.has(module) ? 'mts' : 'ts'}`;
}

function write(name, text) {
  const file = path.join(target, name);
  if (!existsSync(path.dirname(file))) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
