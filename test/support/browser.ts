import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  type LaunchOptions,
  type Page,
  chromium as playwright,
  type Request,
} from 'playwright-core';
import { afterEach, expect } from 'vitest';

/** The first three would let the page do what a person's browser would not; the last starts each of its processes from nothing. */
const UNWANTED = ['--single-process', '--disable-web-security', '--allow-running-insecure-content', '--no-zygote'];
/** No page reaches another host, also where a test does not look. */
const THIS_MACHINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
/** A page of a test is read once: to compile its scripts for speed costs more than it gains. */
const PLAIN_SCRIPTS = '--js-flags=--no-opt --no-maglev';
/** No page draws in three dimensions: painted by the processor alone, it costs less than half. */
chromium.setGraphicsMode = false;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of best practice that axe leaves to a reviewer; here they have to hold. */
const REVIEWED = ['empty-table-header'];

/** Runs axe, of which all rules (those of best practice too) or some, and answers what it finds. */
const runAxe = (options: string) => `axe.run(document, { resultTypes: ['violations', 'incomplete'], ${options} }).then(
  ({ violations, incomplete }) =>
    [...violations, ...incomplete.filter(({ id }) => ${JSON.stringify(REVIEWED)}.includes(id))].map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`;
const ALL_RULES = runAxe('');
/** All that another theme changes. */
const COLOUR_RULES = runAxe("runOnly: ['color-contrast', 'link-in-text-block']");

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Errors of the console and of scripts, and requests to another host: none of these may be at the end of a test. */
  faults: string[];
}

/** A browser of its own, for whoever closes it. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return playwright.launch({
    ...options,
    args: [...chromium.args.filter((flag) => !UNWANTED.includes(flag)), '--disable-gpu', PLAIN_SCRIPTS, THIS_MACHINE],
    executablePath: await chromium.executablePath(),
  });
}

/** Test files that run in one process share its browser; what a test has to itself is a context. */
const shared: { browser?: Promise<Browser> } = {};

/** The browser of this process, started when it is first asked for; it ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared.browser ??= launchShared();
  return shared.browser;
}

async function launchShared(): Promise<Browser> {
  const browser = await launchBrowser({ handleSIGTERM: false });
  // Should it crash, the next test gets another one.
  browser.on('disconnected', () => {
    delete shared.browser;
  });
  // Vitest ends its workers by this signal.
  process.once('SIGTERM', () => void browser.close().finally(() => process.exit()));
  return browser;
}

/** A page that a test has left, for the next test that wants no special one: a new one costs a process and a second. */
const kept: { page?: Page } = {};

/** Opens pages for the tests of a file. Every page is checked and left at the end of its test. */
export async function startBrowser(): Promise<(url: string, look?: Look) => Promise<Opened>> {
  await sharedBrowser();
  const open: (Opened & { allows: string | undefined; leave: () => Promise<void> })[] = [];
  afterEach(async () => {
    const all = open.splice(0);
    await Promise.all(all.map(({ leave }) => leave()));
    expect(all.flatMap(({ faults, allows }) => faults.filter((each) => !allows || !each.includes(allows)))).toEqual([]);
  });
  return async (url, look = {}) => {
    const opened = await openPage(await sharedBrowser(), url, look);
    open.push({ ...opened, allows: look.allows });
    return opened;
  };
}

/** Opens pages of the dashboard for the tests of a file, and waits until each hears what happens. */
export async function dashboardOpener() {
  const open = await startBrowser();
  return async (url: string, look?: Look): Promise<Opened> => {
    const opened = await open(url, look);
    await untilLive(opened.page);
    return opened;
  };
}

interface Look {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** Whether the browser runs any. */
  scripts?: boolean;
  /** Nobody had the page before or gets it later: for a test that sets its clock, cache or network. */
  own?: boolean;
  /** A part of what the browser itself reports of a request that is to fail, such as its status. */
  allows?: string;
}

async function openPage(browser: Browser, url: string, look: Look) {
  const { width = 1280, height = 800, theme = 'light', scripts = true, own = !scripts } = look;
  const page = (own ? undefined : takeKept()) ?? (await newPage(browser, scripts));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  const context = page.context();
  const { faults, stop } = collectFaults(page, new URL(url).host);
  const leave = async () => {
    // A read that a test answers itself may be under way.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    const isClear = !own && !kept.page && (await clear(page, stop));
    stop();
    if (isClear) kept.page = page;
    else await context.close();
  };
  await page.goto(url);
  return { page, context, faults, leave };
}

function takeKept(): Page | undefined {
  const { page } = kept;
  delete kept.page;
  return page?.isClosed() ? undefined : page;
}

async function newPage(browser: Browser, scripts: boolean): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled: scripts,
    // What fades in or out has, on its way, not the contrast that it comes to.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // On a busy machine half a minute, which is usual, is not long.
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** Leaves nothing of a test in a page: no storage, route, pointer or document. False if nobody can use it. */
async function clear(page: Page, stop: () => void): Promise<boolean> {
  if (page.isClosed()) return false;
  try {
    await page.context().setOffline(false);
    await page.evaluate("if (location.protocol !== 'about:') { localStorage.clear(); sessionStorage.clear(); }");
    await page.mouse.move(-1, -1);
    stop();
    if (page.url().startsWith('http')) await page.goto(await emptyPage());
    return true;
  } catch {
    return false;
  }
}

const empty: { url?: Promise<string> } = {};

/** A page at which nothing is. Unlike `about:blank` it is of the site of all emulators: going there starts no process. */
function emptyPage(): Promise<string> {
  empty.url ??= (async () => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end()).unref();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  })();
  return empty.url;
}

/** Only looked at: what is stopped on its way to be looked at goes past the browser's cache. */
function collectFaults(page: Page, host: string): { faults: string[]; stop: () => void } {
  const faults: string[] = [];
  const onRequest = (request: Request) => {
    const target = new URL(request.url());
    if (target.host !== host && target.protocol.startsWith('http')) faults.push(`a request to ${target.href}`);
  };
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
  };
  const onError = (error: Error) => void faults.push(String(error));
  page.context().on('request', onRequest);
  page.on('console', onConsole).on('pageerror', onError);
  const stop = () => {
    page.context().off('request', onRequest);
    page.off('console', onConsole).off('pageerror', onError);
  };
  return { faults, stop };
}

/** What axe has against a page as it stands, in the light theme and in the dark one: rule and elements. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Past the content security policy of the page.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const light = await page.evaluate<string[]>(ALL_RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await page.evaluate<string[]>(COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((fault) => `${fault}, in the dark theme`)];
}

/** Goes to another address of the dashboard that is open, as its links do: nothing is loaded again. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`);
}

/** Waits until the page hears what happens. */
export async function untilLive(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor();
}

/** The list of accounts comes late to a page: once what this returns is called. */
export async function delayAccounts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isList = ({ pathname, search }: URL) => pathname === '/_emulator/accounts' && search === '';
  await page.route(isList, (route) => released.then(() => route.continue()));
  return release;
}
