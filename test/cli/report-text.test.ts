import { afterEach, expect, it, vi } from 'vitest';
import { reportText } from '../../src/cli/terminal-output.ts';

afterEach(() => vi.unstubAllEnvs());

const TEXT = 'ok      port  4600 is free\nFAILED  data  the folder cannot be used by this user';
const inkOf = (line: string) => (line.startsWith('FAILED') ? 'red' : 'green');

it('colors and wraps the lines of a report on a terminal, and leaves pipes, CI and NO_COLOR plain', () => {
  const terminal = { isTTY: true, columns: 40, write: () => true };
  vi.stubEnv('CI', '');
  vi.stubEnv('NO_COLOR', '');
  expect(reportText(TEXT, inkOf, terminal)).toBe(
    '\u001b[32mok      port  4600 is free\u001b[39m\n\u001b[31mFAILED  data  the folder cannot be used\n              by this user\u001b[39m',
  );
  expect(reportText(TEXT, inkOf, { ...terminal, isTTY: false })).toBe(TEXT);
  vi.stubEnv('NO_COLOR', '1');
  expect(reportText(TEXT, inkOf, terminal)).not.toContain('\u001b');
  vi.stubEnv('CI', 'true');
  expect(reportText(TEXT, inkOf, terminal)).toBe(TEXT);
});
