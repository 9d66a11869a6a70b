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

/** The first three flags make the browser unlike that of a user. The last one makes each new process start slowly. */
const UNWANTED = ['--single-process', '--disable-web-security', '--allow-running-insecure-content', '--no-zygote'];
/** Keeps every page from reaching another host, even if a test does not check that. */
const THIS_MACHINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
/** A test loads a page once, so optimizing its scripts costs more than it saves. */
const PLAIN_SCRIPTS = '--js-flags=--no-opt --no-maglev';
/** No page uses 3D graphics. Without them, painting costs less than half. */
chromium.setGraphicsMode = false;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Best-practice rules that axe leaves to a reviewer, but that must hold here. */
const REVIEWED = ['empty-table-header'];

/** Runs axe with all rules, including best practices, or with some, and returns its findings. */
const runAxe = (options: string) => `axe.run(document, { resultTypes: ['violations', 'incomplete'], ${options} }).then(
  ({ violations, incomplete }) =>
    [...violations, ...incomplete.filter(({ id }) => ${JSON.stringify(REVIEWED)}.includes(id))].map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`;
const ALL_RULES = runAxe('');
/** The rules whose results depend on the theme. */
const COLOUR_RULES = runAxe("runOnly: ['color-contrast', 'link-in-text-block']");

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Console errors, script errors, and requests to another host. A test fails if any are left at its end. */
  faults: string[];
}

/** Starts a new browser, which the caller must close. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return playwright.launch({
    ...options,
    args: [...chromium.args.filter((flag) => !UNWANTED.includes(flag)), '--disable-gpu', PLAIN_SCRIPTS, THIS_MACHINE],
    executablePath: await chromium.executablePath(),
  });
}

/** The browser that the test files of a process share. Each test that needs its own state has its own context. */
const shared: { browser?: Promise<Browser> } = {};

/** Returns the browser of this process, which starts at the first call and ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared.browser ??= launchShared();
  return shared.browser;
}

async function launchShared(): Promise<Browser> {
  const browser = await launchBrowser({ handleSIGTERM: false });
  // After a crash, the next test starts another browser.
  browser.on('disconnected', () => {
    delete shared.browser;
  });
  // Vitest ends its workers with this signal.
  process.once('SIGTERM', () => void browser.close().finally(() => process.exit()));
  return browser;
}

/** A page that a test has left, for reuse by the next test. A new page costs a process and a second. */
const kept: { page?: Page } = {};

/** Opens pages for the tests of a file. Every page is checked, and closed or cleared for reuse, at the end of its test. */
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

/** Opens pages of the dashboard for the tests of a file, and waits until each receives live updates. */
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
  /** Whether the page runs scripts. */
  scripts?: boolean;
  /** Opens a page that no other test uses, for a test that sets its clock, cache or network. */
  own?: boolean;
  /** A part of the console errors that the test expects, such as the status of a request that must fail. */
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
    // A request that the test intercepts may still be open.
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
    // An element that fades in does not have its final contrast yet.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // The default of 30 s is too short on a busy machine.
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** Removes the storage, pointer position and document of a test from a page. Returns false if it cannot be reused. */
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

/** The URL of an empty page. It has the site of all emulators, so opening it starts no process, unlike `about:blank`. */
function emptyPage(): Promise<string> {
  empty.url ??= (async () => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end()).unref();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  })();
  return empty.url;
}

/** Observes requests without intercepting them, because intercepted requests bypass the browser's cache. */
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

/** The faults that axe finds in a page, in the light theme and in the dark one: rules and elements. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // `evaluate` is not subject to the content security policy of the page.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const light = await page.evaluate<string[]>(ALL_RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await page.evaluate<string[]>(COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((fault) => `${fault}, in the dark theme`)];
}

/** Goes to another address of the open dashboard as its links do, without a reload. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`);
}

/** Waits until the page receives live updates. */
export async function untilLive(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor();
}

/** Delays the list of accounts of a page until the returned function is called. */
export async function delayAccounts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isList = ({ pathname, search }: URL) => pathname === '/_emulator/accounts' && search === '';
  await page.route(isList, (route) => released.then(() => route.continue()));
  return release;
}
