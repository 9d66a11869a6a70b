import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';

it('gives the same exports to import and require, and exports the same expectSpend from svc-emulator/node-test', async () => {
  const folder = new SuiteFolder({
    'a.mjs': `
      import { createRequire } from 'node:module';
      import * as imported from 'svc-emulator';
      import * as runner from 'svc-emulator/node-test';
      const required = createRequire(import.meta.url)('svc-emulator');
      const names = Object.keys(required);
      console.log(JSON.stringify({
        others: names.filter((name) => imported[name] !== required[name]),
        missing: Object.keys(imported).filter((name) => !names.includes(name)),
        hasSharedFunction: runner.expectSpend === required.expectSpend,
      }));`,
  });
  const { code, output } = await folder.runCommand(process.execPath, ['a.mjs']);
  expect({ code, ...JSON.parse(output) }).toEqual({ code: 0, others: [], missing: [], hasSharedFunction: true });
});

it.each(['bun', 'deno'])('explains how to test with %s, in one line, to a program in that runtime', async (name) => {
  const folder = new SuiteFolder({
    'runtime.cjs': `Object.defineProperty(process.versions, '${name}', { value: '1.2.3', enumerable: true });`,
    'a.mjs': `import { startEmulator } from 'svc-emulator';
      await startEmulator().catch((error) => console.log(error.message));`,
  });
  const { code, output } = await folder.runCommand(process.execPath, ['--require', './runtime.cjs', 'a.mjs']);
  const told = expect.stringMatching(new RegExp(`runs in Node.*npx svc-emulator exec -- ${name} test`));
  expect([code, output.trim().split('\n')]).toEqual([0, [told]]);
});
