import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NextFunction, Request, Response, Router } from 'express';
import { EmulatorError } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { packageFolder } from '../base/package/package-folder.ts';
import { acceptsHtml, hasControlToken } from '../service/http/control-guard.ts';

const ENTRY = '#dashboard/index.html';
const NAME = /^(?:index\.html|(?:assets|docs)\/[\w.-]+)$/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
};

const FORMS: readonly (readonly [string, string | undefined])[] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
  ['', undefined],
];

interface PageFile {
  bytes: Buffer;
  contentType: string;
  etag: string;
  encoding: string | undefined;
}

async function readPageFile(name: string, request: Request): Promise<PageFile | undefined> {
  if (!NAME.test(name)) return undefined;
  const file = path.join(pageFolder(), name);
  for (const [ending, encoding] of FORMS) {
    if (encoding !== undefined && !request.acceptsEncodings(encoding)) continue;
    const bytes = await readFile(file + ending).catch(() => undefined);
    if (!bytes) continue;
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
    return { bytes, contentType, etag: `"${hash}"`, encoding };
  }
  return undefined;
}

function pageFolder(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(ENTRY));
  } catch {
    return '';
  }
}

/**
 * Sends the file, or 304 if the browser has it already. Unlike Express, it also sends 304 to a request that bypasses
 * the browser's cache.
 */
function sendFile(response: Response, { bytes, contentType, etag, encoding }: PageFile): void {
  const isHeld = response.statusCode === 200 && response.req.headers['if-none-match'] === etag;
  response.set({ 'x-content-type-options': 'nosniff', etag });
  // Uses `setHeader`, because `set` would add a charset.
  response.setHeader('content-type', contentType);
  if (isHeld) response.status(304);
  else if (encoding) response.set('content-encoding', encoding);
  response.send(bytes);
}

const PAGES = ['/', '/dashboard{/*rest}', '/docs{/*rest}'];
const ASSET = '/dashboard/assets/:name';
const CHECK = '/check';
export const CHECK_REPORT_FILE = path.join('.svc-check', 'check.html');
const MAX_MIB = 4;

/** The hash of the only inline style that is allowed, which is that of the waveform with a height of 64 pixels. */
const WAVEFORM = "'sha256-fF0LBso7Nz75zaFRDBUefBDvPe19hjaiDnnc8lt+2Js='";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${WAVEFORM}`,
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function mountDashboard(router: Router, token: string | undefined): void {
  router.get(ASSET, async (request: Request, response: Response) => {
    const file = await readPageFile(`assets/${request.params.name}`, request);
    if (!file) throw noFile(request.path);
    response.set({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' });
    sendFile(response, file);
  });
  mountDocs(router);
  mountProjectDocs(router);
  mountCheck(router, token);
  router.get(PAGES, async (request: Request, response: Response) => {
    const isForPage = acceptsHtml(request) || request.headers.accept?.includes('application/json') !== true;
    if (!isForPage || /\.(?:md|json)$/.test(request.path)) throw noFile(request.path);
    const file = await readPageFile('index.html', request);
    if (!file) throw new EmulatorError('not_found', NOT_BUILT);
    // Serves the page even without the token, because the page asks for the token.
    if (token !== undefined && !hasControlToken(request, token)) response.statusCode = 401;
    response.set({ 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding, Cookie' });
    response.set({ 'content-security-policy': POLICY, 'referrer-policy': 'same-origin' });
    response.set('cross-origin-opener-policy', 'same-origin');
    // A header tells the page, which asks with HEAD, that a report of `check` exists.
    if (existsSync(CHECK_REPORT_FILE)) response.set('link', `<${CHECK}>; rel="related"`);
    sendFile(response, file);
  });
  router.all([ASSET, CHECK, ...PAGES], (request: Request, _response: Response, next: NextFunction) => {
    if (request.path === '/') return next();
    const allow = { headers: { allow: 'GET, HEAD' } };
    const message = `${request.method} is not a method of the dashboard; use GET.`;
    throw new EmulatorError('method_not_allowed', message, allow);
  });
}

function pageOfCheck(): string | undefined {
  try {
    return readPlainFile(CHECK_REPORT_FILE, MAX_MIB);
  } catch {
    return undefined;
  }
}

function mountCheck(router: Router, token: string | undefined): void {
  router.get(CHECK, async (request: Request, response: Response) => {
    if (token !== undefined && !hasControlToken(request, token)) {
      throw new EmulatorError('missing_api_key', `${CHECK} requires the control token. Open / and enter it there.`);
    }
    const page = pageOfCheck();
    if (page === undefined && !acceptsHtml(request)) throw new EmulatorError('not_found', NO_CHECK);
    if (page === undefined) response.status(404);
    response.set({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    response.set('content-security-policy', "frame-ancestors 'none'");
    response.type('html').send(page ?? NO_REPORT);
  });
}

const NO_CHECK =
  'No check was run in the folder in which this emulator was started. Run one there: npx svc-emulator check -- npm test';

const NO_REPORT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Check · svc-emulator</title>
  </head>
  <body>
    <main>
      <h1>No report of a check</h1>
      <p>No check was run in the folder in which this emulator was started. Run one there:</p>
      <pre>npx svc-emulator check -- npm test</pre>
      <p><a href="/">Open the dashboard</a></p>
    </main>
  </body>
</html>
`;

function noFile(path: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no ${path.slice(0, 120)}. The service is under /v1, control operations under /_emulator; a browser finds the dashboard at /.`,
  );
}

const NOT_BUILT = 'The dashboard is not built. Run npm run build, or install svc-emulator again.';

function mountProjectDocs(router: Router): void {
  router.get('/docs/project/:name', async (request: Request, response: Response) => {
    const name = path.basename(String(request.params.name), '.md');
    const page = /^[\w-]+$/.test(name) && path.join(packageFolder(), 'docs', 'project', `${name}.md`);
    const text = page && (await readFile(page, 'utf8').catch(() => undefined));
    if (!text) throw noFile(request.path);
    response.set({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', vary: 'Accept' });
    // Sends plain text to browsers, which would save Markdown as a file.
    response.type(acceptsHtml(request) && !wantsMarkdown(request) ? 'text/plain' : 'text/markdown').send(text);
  });
}

function mountDocs(router: Router): void {
  router.get(['/docs', '/docs/:name'], async (request: Request, response: Response, next) => {
    const { name = 'README' } = request.params as { name?: string };
    const isFile = /\.(?:md|json)$/.test(name);
    if (!isFile && !wantsMarkdown(request)) return next();
    const file = await readPageFile(`docs/${isFile ? name : `${name}.md`}`, request);
    if (!file) return next();
    response.set({ 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
    sendFile(response, file);
  });
}

function wantsMarkdown({ headers }: Request): boolean {
  return headers.accept?.includes('text/markdown') === true;
}
