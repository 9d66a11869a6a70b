import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { readPage } from '../../docs/follow-page.ts';
import { runCommand } from '../../support/run-command.ts';

it('writes the package into a folder that it makes, and says why it cannot', async () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'shop', 'svctest', 'svctest.go');
  const written = await runCommand(['go-client', '--out', file]);
  expect(written).toMatchObject({ exitCode: 0, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe((await runCommand(['go-client'])).stdout);
  const refused = await runCommand(['go-client', '--out', folder]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain(`--out is ${folder}, which cannot be written`);
});

it('has a transport that sends its key to one origin alone, which a redirect may leave', async () => {
  const { stdout } = await runCommand(['go-client']);
  const [transport = ''] = /func \(b bearer\) RoundTrip[\s\S]*?\n}\n/.exec(stdout) ?? [];
  expect(transport).toMatch(
    /if own, .*sent\.URL\.Scheme == own\.Scheme && sent\.URL\.Host == own\.Host \{\n\t\tsent\.Header\.Set/,
  );
  expect(stdout.match(/Header\.Set\("Authorization"/g)).toHaveLength(1);
});

it('prints the package for Go, with every function that its page names', async () => {
  const { stdout, exitCode } = await runCommand(['go-client']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\/\/ Package svctest .*\n(?:\/\/.*\n)*package svctest\n/);
  const page = readPage('docs/go.md');
  const named = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map(([, name = '']) => name));
  const functions = named(/\bsvctest\.(\w+)\(/g);
  const methods = named(/\b(?:account|receiver)\.([A-Z]\w+)\(/g);
  expect([...functions].filter((name) => !stdout.includes(`\nfunc ${name}(t testing.TB`))).toEqual(['Verify']);
  expect([...methods].filter((name) => !stdout.includes(`) ${name}(`))).toEqual([]);
  expect([functions.size, methods.size]).toEqual([4, 10]);
});
