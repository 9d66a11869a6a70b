import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { formatHtmlReport } from '../../src/check/print-html.ts';
import { CHECK_REPORT_FILE } from '../../src/dashboard/mount-dashboard.ts';
import { foundOf, reportOf, resultsOf } from '../check/made-report.ts';
import { emptyFolder, SpawnedProgram } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../support/browser.ts';

const open = await startBrowser();

it('shows at /check the report of the last check in the current folder, in light and dark, and on a narrow screen', async () => {
  const folder = emptyFolder();
  const program = new SpawnedProgram(['--port', '0', '--ephemeral'], {}, folder);
  const url = await program.ready();
  const { page: dashboard } = await open(`${url}/dashboard/live`);
  const link = dashboard.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Check' });
  await dashboard.getByRole('link', { name: 'Docs' }).waitFor();
  expect(await link.count()).toBe(0);
  const none = await fetch(`${url}/check`);
  expect([none.status, await none.text()]).toEqual([404, expect.stringContaining('svc-emulator check -- npm test')]);
  // The report as `svc-emulator check` writes it.
  const paidTwice = foundOf(['lost_response'], {
    failure: { kind: 'verdict', code: 'paid_twice', message: 'paid_twice: It paid twice.' },
  });
  mkdirSync(path.join(folder, path.dirname(CHECK_REPORT_FILE)));
  writeFileSync(
    path.join(folder, CHECK_REPORT_FILE),
    formatHtmlReport({ ...reportOf(resultsOf([paidTwice])), scenarios: 1 }),
  );
  await dashboard.reload();
  await link.click();
  await dashboard.getByRole('heading', { name: /FAILED pays-once/ }).waitFor();
  const name = dashboard.getByText('survives-lost-messages', { exact: true });
  const linesOfName = () => name.evaluate((code) => code.getClientRects().length);
  expect(await linesOfName()).toBe(1);
  const copy = dashboard.getByRole('button', { name: 'Copy' });
  await copy.click();
  await dashboard.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await dashboard.evaluate('navigator.clipboard.readText()')).toBe(
    `npx svc-emulator check --replay ${paidTwice.finding.token} -- npm test`,
  );
  await dashboard.setViewportSize({ width: 390, height: 800 });
  expect(await linesOfName()).toBe(1);
  expect(await dashboard.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(await accessibilityFaults(dashboard)).toEqual([]);
  expect((await fetch(`${url}/check`, { method: 'POST' })).status).toBe(405);
  // A folder in its place cannot be read.
  rmSync(path.join(folder, CHECK_REPORT_FILE));
  mkdirSync(path.join(folder, CHECK_REPORT_FILE));
  const unreadable = await fetch(`${url}/check`, { headers: { accept: 'text/html' } });
  expect([unreadable.status, await unreadable.text()]).toEqual([404, expect.stringContaining('No report of a check')]);
});
