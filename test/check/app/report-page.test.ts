import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { pairTrails } from '../../../src/check/app/show-run.ts';
import { folderOf, runToEnd } from '../../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../../support/browser.ts';
import { GREEDY } from './greedy-story.ts';

const open = await startBrowser();

it('shows a finding beside an undisturbed run, and lays its test into the clipboard', async () => {
  const folder = folderOf({ 'story.mjs': GREEDY });
  const search = ['--only', 'lost_answer', '--bound', '1', '--budget', '0', '--no-saved', '--report', 'found.html'];
  expect(await runToEnd(['explore', ...search, '--', 'node', 'story.mjs'], {}, folder)).toMatchObject({ exitCode: 1 });
  const { page, context } = await open('about:blank');
  await context.setOffline(true);
  await page.goto(pathToFileURL(path.join(folder, 'found.html')).href);
  // Bars lie along the axis, not one upon the other at its beginning.
  expect((await page.locator('.lane-tracks').first().boundingBox())?.width).toBeGreaterThan(400);
  const pairs = page.getByRole('region', { name: 'The failing run beside a baseline run' });
  const parted = pairs.locator('.pair[data-first]');
  expect(await parted.locator('> div').allTextContents()).toEqual([
    'POST /v1/chat/completions -> connection reset, 1 credits',
    '1',
    'nothing',
  ]);
  const copies = page.getByRole('button', { name: 'Copy' });
  await copies.last().click();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toContain("import { test } from 'vitest';");
  expect(copied).toContain('--replay');
  await copies.first().click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
    /^\S+ \S+main\.js explore --replay x1-\S+ .*-- node story\.mjs$/,
  );
  expect(await accessibilityFaults(page)).toEqual([]);

  const covered = await page.evaluate(`[...document.querySelectorAll('.code')].filter((code) => {
    const button = code.querySelector('.copy').getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(code.querySelector('pre'));
    return [...range.getClientRects()].some((line) => line.right > button.left && line.top < button.bottom);
  }).length`);
  expect(covered).toBe(0);
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  const list = page.getByRole('navigation', { name: 'Findings' });
  await expect.poll(() => page.evaluate('window.scrollY')).toBeGreaterThan(200);
  expect((await list.boundingBox())?.y).toBe(0);
});

/** Trails as letters; each row has a letter of both, or `-`. */
it.each([
  ['the same', 'ab', 'ab', 'aa bb'],
  ['one more', 'abc', 'ac', 'aa b- cc'],
  ['one less', 'a', 'ac', 'aa -c'],
  ['another', 'axc', 'ayc', 'aa xy cc'],
  ['one many times', 'aab', 'ab', 'aa bb'],
])('lays two trails level of which one has %s', (_, did, should, rows) => {
  const trail = (texts: string) => [...texts].map((text, at) => ({ at, text }));
  const letter = (text = '-') => (text === '-' ? undefined : text);
  const expected = rows.split(' ').map((row) => ({ did: letter(row[0]), should: letter(row[1]) }));
  expect(pairTrails(trail(did), trail(should))).toEqual(expected);
});
