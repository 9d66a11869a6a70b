import { expect, it } from 'vitest';
import { regressionTest } from '../../src/explore/token.ts';

it('prints a test of a function, and words that hold any character', () => {
  const finding = { token: 'x1-abc', schedule: [{ step: 'endpoint', deviation: 'foreign' }] };
  expect(regressionTest([finding, finding]).split('\n')).toEqual([
    "import { exploreTest } from 'svc-emulator/vitest';",
    ...['', "exploreTest('stands foreign at endpoint', story, { replay: 'x1-abc' });"],
    ...['', "exploreTest('stands foreign at endpoint', story, { replay: 'x1-abc' });"],
  ]);
  const words = ["it's", 'a "b"', 'c\\d', 'e\nf'];
  const [, list = ''] = /const words = (\[.*\]);/.exec(regressionTest([finding], ['--', ...words])) ?? [];
  const literals = [...list.matchAll(/'[^'\\]*'|"(?:[^"\\]|\\.)*"/g)].map(([text]) =>
    text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text),
  );
  expect(literals).toEqual(['svc-emulator', 'explore', '--replay', 'x1-abc', '--', ...words]);
});
