// Looks at what `npm pack` would publish, after a build: contents, sizes, entries, types, licences.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('..', import.meta.url));
const MEBIBYTE = 1_048_576;
const TARBALL_LIMIT_MB = 12;
const NEEDED = [
  ...['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md', 'llms.txt', 'skills/svc-emulator/SKILL.md'],
  ...['dist/main.js', 'dist/index.js', 'dist/index.js.map', 'dist/types/index.d.ts'],
  'src/python/svc_emulator.py',
  ...['dist/third-party-licences.txt', 'fixtures/font/LICENSE', 'fixtures/config.schema.json'],
];
const UNWANTED = [
  /(^|\/)test\//,
  /\.test\./,
  /\.cache$/,
  /^(src\/(?!database\/migrations|python\/svc_emulator\.py)|scripts\/)/,
];
/** What the notices name because it is not of this project. */
const NOTICED = ['ffmpeg', 'GNU General Public License', 'Noto Sans', 'SIL Open Font License'];

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
// @ts-expect-error: an option that there is not
void startEmulator({ prot: 1 });
export { balance, code, event, spent, verifySignature };
`;

const folder = mkdtempSync(path.join(tmpdir(), 'package-check-'));
try {
  const faults = [...contents(), ...sourceMaps(), ...licences(), ...types(), ...(await entries())];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function contents() {
  const line = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const told = execFileSync('npm', line, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files, size, unpackedSize }] = Object.values(JSON.parse(told));
  const names = files.map((file) => file.path);
  const megabytes = (size / MEBIBYTE).toFixed(1);
  console.log(`${names.length} files, ${megabytes} MB packed, ${(unpackedSize / MEBIBYTE).toFixed(1)} MB unpacked`);
  return [
    ...NEEDED.filter((name) => !names.includes(name)).map((name) => `The package lacks ${name}.`),
    ...names
      .filter((name) => UNWANTED.some((sign) => sign.test(name)))
      .map((name) => `${name} is published and should not be.`),
    ...(size > TARBALL_LIMIT_MB * MEBIBYTE
      ? [`The tarball has ${megabytes} MB; the limit is ${TARBALL_LIMIT_MB}.`]
      : []),
  ];
}

/** A map tells where a source lies from where the map lies, and nothing of the machine. */
function sourceMaps() {
  const maps = readdirSync(path.join(root, 'dist'), { recursive: true }).filter((file) => file.endsWith('.map'));
  return maps.flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(path.join(root, 'dist', file), 'utf8'));
    const absolute = sources.filter((source) => path.isAbsolute(source) || source.startsWith('file:'));
    return absolute.length === 0 ? [] : [`${file} names ${absolute[0]}: a path of this machine.`];
  });
}

function licences() {
  const notice = readFileSync(path.join(root, 'NOTICE'), 'utf8');
  const chapters = readFileSync(path.join(root, 'dist', 'third-party-licences.txt'), 'utf8').split(/^(?=## )/m);
  const bare = chapters.filter((chapter) => chapter.trim().split('\n').length < 3);
  return [
    ...NOTICED.filter((word) => !notice.includes(word)).map((word) => `NOTICE does not mention ${word}.`),
    ...bare.map((chapter) => `${chapter.trim()} is bundled without the text of its licence.`),
  ];
}

/** Compiles what a user would write, as Node and as a bundler resolve it, with all declarations checked. */
function types() {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(root, path.join(modules, 'svc-emulator'));
  for (const name of ['vitest', '@types']) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(folder, 'user.ts'), USER);
  // What the quick start shows is taken by a strict compiler too.
  const [, sample = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(path.join(root, 'docs/quickstart.md'), 'utf8')) ?? [];
  writeFileSync(path.join(folder, 'first.test.ts'), sample);
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const line = [
    tsc,
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2023',
    '--lib',
    'es2023,esnext.disposable',
    '--types',
    'node',
  ];
  return [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ].flatMap(([module, resolution]) => {
    try {
      execFileSync(
        process.execPath,
        [...line, '--module', module, '--moduleResolution', resolution, 'user.ts', 'first.test.ts'],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
      return [];
    } catch (error) {
      return [`Types do not hold with moduleResolution ${resolution}:\n${error.stdout}`];
    }
  });
}

async function entries() {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}
