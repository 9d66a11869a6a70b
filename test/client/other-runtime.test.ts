import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';

it.each(['bun', 'deno'])(
  'explains in one line how to test with %s if a program in that runtime starts an emulator',
  async (name) => {
    const folder = new SuiteFolder({
      'runtime.cjs': `Object.defineProperty(process.versions, '${name}', { value: '1.2.3', enumerable: true });`,
      'a.mjs': `import { startEmulator } from 'svc-emulator';
      await startEmulator().catch((error) => console.log(error.message));`,
    });
    const { code, output } = await folder.runCommand(process.execPath, ['--require', './runtime.cjs', 'a.mjs']);
    expect([code, output.trim().split('\n')]).toEqual([
      0,
      [expect.stringMatching(new RegExp(`runs in Node.*npx svc-emulator exec -- ${name} test`))],
    ]);
  },
);
