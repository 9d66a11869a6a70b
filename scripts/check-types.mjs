// Type checks user code against the declarations of the package, in every kind of project.
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './built-files.mjs';

/** Packages that samples import, but that are not installed here. */
const NOT_HERE = ['testcontainers'];
/** The module that a sample tests. */
const SHOP = `
export declare function sellSong(at: { baseUrl: string; apiKey: string }): Promise<{ status: string }>;
`;

const USER = `
import { type AccountClient, connectEmulator, startEmulator, verifySignature } from 'svc-emulator';
import { type ServiceEvent, errorSchema, eventSchema } from 'svc-emulator/events';
import { expectSpend, test } from 'svc-emulator/vitest';

await using emulator = await startEmulator({ port: 0 });
const account: AccountClient = await emulator.account({ plan: 'studio' });
const spent: number = (await expectSpend(account, { credits: 0 }, () => {})).credits;
const event: ServiceEvent = eventSchema.parse({});
const code: string = errorSchema.parse({}).error.code;
const balance: number = await connectEmulator(emulator.url).ledger(account).then((all) => all.length);
test('uses fixtures', async ({ inbox }) => void inbox.url);
// @ts-expect-error: there is no such option
void startEmulator({ prot: 1 });
// @ts-expect-error: an answer has no such field
void (await emulator.control.getClock()).nothing;
export { balance, code, event, spent, verifySignature };
`;

/** Uses the main entry and the Vitest entry in one program, where both must have the same types. */
const SHARED = `
import { type AccountClient, type EmulatorClient, expectSpend } from 'svc-emulator';
import { test } from 'svc-emulator/vitest';

export async function pay(account: AccountClient): Promise<number> {
  return (await expectSpend(account, { credits: 0 }, () => {})).credits;
}
test('shares its types', async ({ account, emulator }) => {
  const client: EmulatorClient = emulator;
  void [client, await pay(account)];
});
`;

const { ModuleKind, ModuleResolutionKind } = ts;
const NODENEXT = { name: 'nodenext', module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext };
const NODE16 = { name: 'node16', module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 };
const BUNDLER = { name: 'bundler', module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler };

/** Each reads the declarations in another way; more combinations read the same files and cost seconds each. */
const PROJECTS = [
  { module: NODENEXT, type: 'module', hasNode: true },
  { module: NODENEXT, type: 'commonjs', hasNode: true },
  { module: NODE16, type: 'commonjs', hasNode: true },
  { module: BUNDLER, type: 'module', hasNode: true },
  { module: BUNDLER, type: 'module', hasNode: false },
];

const OPTIONS = {
  ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
};

const INSTALLED = ['vitest', 'openai', 'undici', '@types', '@playwright'];
const DECLARATIONS = path.join(root, 'dist', 'types');
/** Parsed files, shared by all projects. */
const parsed = new Map();

/** The type errors of each kind of project, one text for each. `folder` must be empty. */
export function typeFaults(folder) {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(root, path.join(modules, 'svc-emulator'));
  for (const name of INSTALLED) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  const samples = readSamples();
  return PROJECTS.flatMap((project) => check({ ...project, folder, samples }));
}

function check({ folder, module, type, hasNode, samples }) {
  const texts = new Map([
    [path.join(folder, 'package.json'), JSON.stringify({ type })],
    [path.join(folder, 'shop.ts'), SHOP],
  ]);
  const names = samples
    .filter(({ text }) => hasNode || !usesNode(text))
    .map(({ name, text }) => {
      const file = path.join(folder, `${name}.${isModule(text, module, type) ? 'mts' : 'ts'}`);
      texts.set(file, file.endsWith('.mts') ? text.replace("'./shop.ts'", "'./shop.js'") : text);
      return file;
    });
  const { name, ...kind } = module;
  const options = { ...OPTIONS, ...kind, types: hasNode ? ['node'] : [] };
  const host = hostOf(options, texts, hasNode);
  const program = ts.createProgram(names, options, host);
  const ours = program.getSourceFiles().filter(({ fileName }) => isOurs(fileName, folder));
  const faults = [
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  if (faults.length === 0) return [];
  const of = `${name}, ${type}, ${hasNode ? 'with' : 'without'} @types/node`;
  return [`Types fail in a project of ${of}:\n${ts.formatDiagnostics(faults.slice(0, 10), host)}`];
}

/** Other packages are not checked: without the types of Node, the declarations of Vitest have errors. */
function isOurs(file, folder) {
  return file.startsWith(DECLARATIONS) || (file.startsWith(folder) && !file.includes('node_modules'));
}

/** In CommonJS packages, samples with top-level await are ES modules. In `node16`, those that import ES-only entries too. */
function isModule(text, { name }, type) {
  if (type === 'module') return false;
  return (
    /^(?:await |(?:const|let) .*= await )/m.test(text) ||
    (name === 'node16' && /from '[^']*(?:vitest|events|playwright|node-test)'/.test(text))
  );
}

function usesNode(text) {
  return /from 'node:|\bprocess\.|\bBuffer\b|svc-emulator\/(?:node-test|playwright)/.test(text);
}

/** Reads the files in `texts` before those on the disk. All projects share the parsed files. */
function hostOf(options, texts, hasNode) {
  const host = ts.createCompilerHost(options, true);
  const isHidden = (file) => !hasNode && /node_modules\/@types\/node(?:\/|$)/.test(file);
  const { fileExists, directoryExists, readFile, getSourceFile } = host;
  return {
    ...host,
    fileExists: (file) => texts.has(file) || (!isHidden(file) && fileExists(file)),
    directoryExists: (name) => !isHidden(name) && directoryExists(name),
    readFile: (file) => texts.get(file) ?? readFile(file),
    getSourceFile(file, how, ...more) {
      if (texts.has(file)) return ts.createSourceFile(file, texts.get(file), how, true);
      const key = `${file} ${how.impliedNodeFormat} ${how.languageVersion}`;
      if (!parsed.has(key)) parsed.set(key, getSourceFile(file, how, ...more));
      return parsed.get(key);
    },
  };
}

/** The TypeScript samples of the pages, and the programs `USER` and `SHARED`. */
function readSamples() {
  const docs = readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`);
  const pages = ['README.md', 'skills/svc-emulator/SKILL.md', ...docs].filter((page) => page.endsWith('.md'));
  const blocks = pages
    .flatMap((page) => [...readFileSync(path.join(root, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)])
    .map(([, block]) => block)
    .filter((block) => !NOT_HERE.some((name) => block.includes(`from '${name}'`)));
  if (blocks.length < 5) throw new Error('The pages have fewer samples in TypeScript than they had.');
  const samples = blocks.map((text, at) => ({ name: `sample-${at}`, text }));
  return [{ name: 'user', text: USER }, { name: 'shared', text: SHARED }, ...samples];
}
