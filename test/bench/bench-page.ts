import chromium from '@sparticuz/chromium';
import { type Browser, type CDPSession, type Page, chromium as playwright } from 'playwright-core';
import { kilobytes } from './process-memory.ts';

/** As slow as a phone of the middle class beside this machine. */
const SLOWDOWN = 4;

/** Notes when the page has a heading, and when it is idle for the first time after that. */
const WATCH_START = `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main h1')) return;
    observer.disconnect();
    requestIdleCallback(() => { document.documentElement.dataset.idleAt = performance.now(); });
  }).observe(document, { childList: true, subtree: true });`;

const COUNT_FRAMES = `
  window.frames_ = [];
  let last = performance.now();
  const count = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(count); };
  requestAnimationFrame(count);`;

// A graphics card that is made up by the processor is slower than none.
chromium.setGraphicsMode = false;

export function openBrowser(): Promise<Browser> {
  return chromium.executablePath().then((executablePath) =>
    playwright.launch({
      args: [...chromium.args.filter((flag) => flag !== '--single-process'), '--disable-gpu'],
      executablePath,
    }),
  );
}

/** A page that hears what happens. */
export async function openDashboard(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor();
  return page;
}

/** Milliseconds from an empty cache to the first contents and to the first idle moment, on a slowed processor. */
export async function coldStart(browser: Browser, url: string) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.addInitScript(WATCH_START);
    await page.goto(url);
    const root = page.locator('html[data-idle-at]');
    const interactive = Number(await root.getAttribute('data-idle-at'));
    const painted = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    return { painted, interactive };
  } finally {
    await context.close();
  }
}

/** Lengths of the frames that a page draws while something goes on, in milliseconds, the shortest first. */
export async function framesDuring(page: Page, task: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(COUNT_FRAMES);
  await task();
  const frames = await page.evaluate<number[]>('window.frames_');
  return frames.slice(1).toSorted((a, b) => a - b);
}

/** Memory in MiB of the largest process that draws a page: what is resident of it, and what is nobody's but its own. */
export async function memoryOfPage(browser: Browser): Promise<{ resident: number; own: number }> {
  const devtools: CDPSession = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => memoryOf(id));
  return sizes.reduce((most, each) => (each.resident > most.resident ? each : most));
}

/** What of a process is its own is what Chromium's task manager shows: without the program, which all processes share. */
function memoryOf(pid: number): { resident: number; own: number } {
  const of = (name: string) => kilobytes(pid, name) / 1024;
  return { resident: of('VmRSS'), own: of('RssAnon') + of('VmSwap') };
}
