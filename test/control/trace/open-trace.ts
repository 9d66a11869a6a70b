import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { startBrowser } from '../../support/browser.ts';

/** A folder of this process, removed with the temporary folder of the run. */
export const folder = mkdtempSync(path.join(tmpdir(), 'svc-trace-'));

/** Opens files from the disk, as a double click does, without a network. */
export async function traceOpener() {
  const open = await startBrowser();
  return async (name: string, html: string, look = {}) => {
    const file = path.join(folder, name);
    writeFileSync(file, html);
    const opened = await open('about:blank', look);
    await opened.context.setOffline(true);
    await opened.page.goto(pathToFileURL(file).href);
    return opened;
  };
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });
