import { expect } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';

const CHAT = `
const chat = async (emulator, account, model = 'svc-rp-mini') => {
  const { status } = await fetch(emulator.baseUrl + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello.' }] }),
  });
  if (status !== 200) throw new Error('the chat was answered ' + status);
};
`;
const BY_FIXTURES = `${CHAT}
spends(1, test)('has cost one credit', ({ emulator, account }) => chat(emulator, account));
spends({ credits: 12, refunds: 0 }, test)('has cost twelve', ({ emulator, account }) => chat(emulator, account));
spends(12, test)('has failed by itself', ({ emulator, account }) => chat(emulator, account, 'no-such-model'));
spends(0, test)('has asked for no account', () => {});
`;
const BY_HOOKS = `${CHAT}
test('has cost one credit', svc.spends(1, () => chat(svc.emulator, svc.account)));
test('has cost twelve', svc.spends({ credits: 12, refunds: 0 }, () => chat(svc.emulator, svc.account)));
test('has failed by itself', svc.spends(12, () => chat(svc.emulator, svc.account, 'no-such-model')));
test('has asked for no account', svc.spends(0, () => {}));
`;

/** The suite as each runner has it. */
export const suites = {
  vitest: { 'a.test.js': `import { spends, test } from 'svc-emulator/vitest';${BY_FIXTURES}` },
  playwright: {
    'a.spec.mjs': `import { spends, test } from 'svc-emulator/playwright';${BY_FIXTURES}`,
    'playwright.config.mjs': 'export default { workers: 1, reporter: "line" };',
  },
  jest: {
    'a.test.js': `const { emulatorFixtures } = require('svc-emulator/jest');\nconst svc = emulatorFixtures();${BY_HOOKS}`,
    'jest.config.json': '{}',
  },
  'node:test': {
    'a.test.mjs': `import { test } from 'node:test';\nimport { emulatorFixtures } from 'svc-emulator/node-test';\nconst svc = emulatorFixtures();${BY_HOOKS}`,
  },
};

/** Two tests fail: one by what it has cost, with the rows of the ledger, and one by its own error alone. */
export async function failsBySpend(runner: keyof typeof suites, command: readonly string[]): Promise<void> {
  const [program = '', ...line] = command;
  const { code, output } = await new SuiteFolder(suites[runner]).runCommand(program, line);
  expect(output).toMatch(/2 passed|pass 2\b/);
  expect(output).toMatch(/2 failed|fail 2\b/);
  expect(output).toMatch(
    /Expected 12 credits spent and 0 refunds, got 1 credit spent and 0 refunds:\s+charge -1 \(chat\.completion\), balance 999/,
  );
  expect(output).toContain('the chat was answered 404');
  expect(output).not.toContain('got 0 credits spent');
  expect(code).toBe(1);
}
