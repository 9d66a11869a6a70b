import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type LaunchOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { afterEach, expect } from 'vitest';

/** The first three would let the page do what a person's browser would not; the last starts each of its processes from nothing. */
const UNWANTED = ['--single-process', '--disable-web-security', '--allow-running-insecure-content', '--no-zygote'];
/** No page reaches another host, also where a test does not look. */
const THIS_MACHINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
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
    args: [...chromium.args.filter((flag) => !UNWANTED.includes(flag)), '--disable-gpu', THIS_MACHINE],
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

/** Opens pages for the tests of a file. Every page is checked and closed at the end of its test. */
export async function startBrowser(): Promise<(url: string, look?: Look) => Promise<Opened>> {
  await sharedBrowser();
  const open: Opened[] = [];
  afterEach(async () => {
    const all = open.splice(0);
    await Promise.all(all.map(({ context }) => context.close()));
    expect(all.flatMap(({ faults }) => faults)).toEqual([]);
  });
  return async (url, look = {}) => {
    const opened = await openPage(await sharedBrowser(), url, look);
    open.push(opened);
    return opened;
  };
}

interface Look {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** Whether the browser runs any. */
  scripts?: boolean;
}

async function openPage(browser: Browser, url: string, look: Look): Promise<Opened> {
  const { width = 1280, height = 800, theme = 'light', scripts = true } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    javaScriptEnabled: scripts,
    // What fades in or out has, on its way, not the contrast that it comes to.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const faults: string[] = [];
  const { host } = new URL(url);
  // Only looked at: what is stopped on its way to be looked at goes past the browser's cache.
  context.on('request', (request) => {
    const target = new URL(request.url());
    if (target.host !== host && target.protocol.startsWith('http')) faults.push(`a request to ${target.href}`);
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(url);
  return { page, context, faults };
}

/** What axe has against a page as it stands, in the light theme and in the dark one: rule and elements. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Past the content security policy of the page.
  await page.evaluate(AXE);
  const light = await page.evaluate<string[]>(ALL_RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await page.evaluate<string[]>(COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((fault) => `${fault}, in the dark theme`)];
}

/** Waits until the page hears what happens. */
export async function untilLive(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor();
}
