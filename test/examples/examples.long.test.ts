import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { runAsReader } from '../docs/terminal.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The log of all commands and their output, parts of which the pages of the examples show. */
const KEPT = path.join(ROOT, 'node_modules', '.cache', 'examples.txt');
const packed = emptyFolder();

function run(command: string, cwd: string, more: Record<string, string> = {}) {
  const { status, output } = runAsReader(command, cwd, { NO_COLOR: '1', ...more });
  appendFileSync(KEPT, `${command.trim()}\n${output}exit code ${status}\n\n`);
  return { status, output };
}

function expectSuccess(command: string, cwd: string, more: Record<string, string> = {}): void {
  const { status, output } = run(command, cwd, more);
  expect(status, `${command}\n${output}`).toBe(0);
}

const blocksOf = (markdown: string, language: string) =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

beforeAll(() => {
  mkdirSync(path.dirname(KEPT), { recursive: true });
  rmSync(KEPT, { force: true });
  expectSuccess(`npm pack --ignore-scripts --pack-destination "${packed}"`, ROOT);
}, 600_000);

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

for (const [name, isHere] of [
  ['shop', true],
  ['chat', true],
  ['studio', hasPytest],
] as const) {
  describe.runIf(isHere)(`the example ${name}, installed from its README`, () => {
    const source = path.join(ROOT, 'examples', name);
    const [page = '', ...sections] = readFileSync(path.join(source, 'README.md'), 'utf8').split('\n### ');
    // A page may install the package from npm, where the tested version is not published yet.
    const install = blocksOf(page, 'sh')[0]?.replace(/^(npm i.*) svc-emulator$/m, '$1 ./svc-emulator-*.tgz') ?? '';
    const bugs = sections.map((text) => ({ name: text.split('\n')[0], bug: text }));
    const folder = emptyFolder();

    beforeAll(() => {
      cpSync(source, folder, { recursive: true });
      cpSync(packed, folder, { recursive: true });
    });

    it('passes the tests of the example, and check finds nothing in the example', { timeout: 1_800_000 }, () => {
      expectSuccess(install, folder);
    });

    it.runIf(name === 'chat')('passes the browser test of the chat example', async () => {
      expectSuccess('npm run test:page', folder, { CHROMIUM: await chromium.executablePath() });
    });

    it.each(bugs)(
      'documents the finding of check for the bug in the patch $name, and passes its replay after the patch is removed',
      { timeout: 1_800_000 },
      ({ bug }) => {
        const [commands = ''] = blocksOf(bug, 'sh');
        const [finding = ''] = blocksOf(bug, 'text');
        const found = run(commands, folder);
        expect(found.status, found.output).toBe(1);
        const [check = ''] = finding.split('\n');
        expect(found.output).toContain(check);

        const [, replay = ''] = /Replay: (.*)/.exec(finding) ?? [];
        expect(run(replay, folder).status).toBe(1);
        const [patch = ''] = commands.split('\n');
        expectSuccess(patch.replace('patch', 'patch -R'), folder);
        expectSuccess(replay, folder);
      },
    );
  });
}
