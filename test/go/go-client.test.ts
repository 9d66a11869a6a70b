import { expect, it } from 'vitest';
import { runToEnd } from '../cli/spawned-program.ts';
import { readPage } from '../docs/follow-page.ts';

it('prints the package for Go, with every function that its page names', async () => {
  const { stdout, exitCode } = await runToEnd(['go-client']);
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
