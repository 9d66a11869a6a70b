import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { docsPages } from '../../scripts/docs-pages.mjs';
import { emptyFolder } from '../cli/spawned-program.ts';
import { accessibilityFaults, dashboardOpener } from '../support/browser.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'docs');
const open = await dashboardOpener();
const emulator = await world();

it('lists the docs pages, finds headings, and copies samples with the actual port', async () => {
  const { page } = await open(`${emulator.url}/docs`);
  const list = page.getByRole('navigation', { name: 'Docs', exact: true });
  await list.getByRole('link', { name: 'A walk through the service' }).click();
  await page.getByRole('heading', { level: 2, name: 'A walk through the service' }).waitFor();
  expect(await list.getByRole('link', { name: 'A walk through the service' }).getAttribute('aria-current')).toBe(
    'page',
  );
  const sample = page.getByRole('region', { name: 'Sample 3' });
  expect(await sample.textContent()).toContain(`baseURL: '${emulator.url}/v1'`);
  await page.getByRole('button', { name: 'Copy sample 3' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`${emulator.url}/v1`);

  await page.keyboard.press('/');
  await page.keyboard.type('whether to try');
  await page.getByRole('link', { name: /Whether to try again/ }).click();
  await page.waitForURL(/\/docs\/errors#whether-to-try-again$/);
  const heading = page.getByRole('heading', { name: 'Whether to try again' });
  await heading.waitFor();
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(300);
});

it('opens and closes collapsible sections, formats code in the list of pages, and shows the title of the page in the tab', async () => {
  const { page } = await open(`${emulator.url}/docs`);
  const port = new URL(emulator.url).port;
  await expect.poll(() => page.title()).toBe(`Documentation · Docs · local :${port}`);
  const list = page.getByRole('navigation', { name: 'Docs', exact: true });
  await expect.poll(() => list.locator('code').allTextContents()).toContain('exec');
  expect(await list.textContent()).not.toContain('`');
  await list.getByRole('link', { name: 'Quick start' }).click();
  await page.getByRole('heading', { level: 2, name: 'Quick start' }).waitFor();
  await expect.poll(() => page.title()).toBe(`Quick start · Docs · local :${port}`);
  const text = page.locator('.docs-text');
  await text.getByText('TypeScript with Vitest').waitFor();
  expect(await text.textContent()).not.toMatch(/<\/?[a-z]/);
  const first = text.locator('details').first();
  expect(await first.getAttribute('open')).not.toBeNull();
  await first.locator('summary').click();
  await first.getByRole('region').first().waitFor({ state: 'hidden' });
  await text.locator('summary').filter({ hasText: 'Python' }).click();
  await text.getByRole('region').getByText('def test_').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Money', exact: true }).click();
  await expect.poll(() => page.title()).toBe(`Money · local :${port}`);
});

it('fails the build if a docs page contains unsupported HTML', () => {
  const root = emptyFolder();
  mkdirSync(path.join(root, 'docs'));
  const write = (name: string, text: string) => writeFileSync(path.join(root, 'docs', name), text);
  write('README.md', '# Docs\n\n## All\n\n| | |\n| --- | --- |\n| [The `one`](one.md) | Text. |\n');
  write('one.md', '# One\n\n<!-- a comment -->\n\n<details>\n<summary>More of `it`</summary>\n\nText\n\n</details>\n');
  expect(() => docsPages(root)).not.toThrow();
  for (const bad of ['<br>', 'a <kbd>key</kbd>', '<details>\n\nnever closed', '</details>', '![image](a.png)']) {
    write('one.md', `# One\n\n${bad}\n`);
    expect(() => docsPages(root), bad).toThrow('docs/one.md contains');
  }
});

it('reports an unknown docs page, and fits a long page into the width of a phone', async () => {
  const { page } = await open(`${emulator.url}/docs/none`, { width: 390, height: 844, allows: '404' });
  await page.getByRole('alert').getByText('There is no page "none"').waitFor();
  await page.goto(`${emulator.url}/docs/errors`);
  await page.getByRole('heading', { level: 2, name: 'Errors and troubleshooting' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

it('serves each page as Markdown to programs', async () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));
  for (const name of names) {
    const { headers, bytes } = await emulator.call('GET', `/docs/${name}`);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(bytes.equals(readFileSync(path.join(FOLDER, name))), name).toBe(true);
  }
  const accept = { accept: 'text/markdown, text/html;q=0.9' };
  for (const [address, start] of [
    ['/docs', '# Documentation'],
    ['/docs/quickstart', '# Quick start'],
  ] as const) {
    const { headers, bytes } = await emulator.call('GET', address, undefined, accept);
    expect(headers.get('vary')).toContain('Accept');
    expect(bytes.toString().startsWith(`${start}\n`)).toBe(true);
  }
  expectError(await emulator.call('GET', '/docs/none.md'), 404, 'not_found');
  expectError(await emulator.call('GET', '/docs/..%2Findex.json'), 404, 'not_found');
});

it('serves the pages about the project, to which the README links, as Markdown and as plain text to a browser', async () => {
  const readme = readFileSync(path.join(FOLDER, '..', 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\((docs\/project\/[^)]+)\)/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(1);
  for (const link of [...links, 'docs/project/releasing']) {
    const text = readFileSync(path.join(FOLDER, '..', `${String(link).replace(/\.md$/, '')}.md`), 'utf8');
    for (const [accept, type] of [
      ['*/*', 'text/markdown; charset=utf-8'],
      ['text/markdown, text/html;q=0.9', 'text/markdown; charset=utf-8'],
      ['text/html,*/*;q=0.8', 'text/plain; charset=utf-8'],
    ] as const) {
      const { headers, bytes } = await emulator.call('GET', `/${link}`, undefined, { accept });
      expect([headers.get('content-type'), bytes.toString() === text]).toEqual([type, true]);
    }
  }
  for (const address of ['none.md', 'none', '..%2F..%2Fpackage.json', '%2e%2e%2fREADME.md', 'releasing.md.md']) {
    expectError(await emulator.call('GET', `/docs/project/${address}`), 404, 'not_found');
  }
  expect((await emulator.call('POST', '/docs/project/releasing.md')).status).toBe(405);
});

it('names only served pages in llms.txt', async () => {
  const { bytes } = await emulator.call('GET', '/llms.txt');
  const links = [...bytes.toString().matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect((await emulator.call('GET', `/${link}`)).status).toBe(200);
});
