import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NextFunction, Request, Response, Router } from 'express';
import { EmulatorError } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { packageFolder } from '../base/package/package-folder.ts';
import { acceptsHtml, hasControlToken } from '../service/http/control-guard.ts';

const NAME = /^(?:index\.html|(?:assets|docs)\/[\w.-]+)$/;

const FORMS: readonly (readonly [string, string | undefined])[] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
  ['', undefined],
];

/**
 * Sends the file, or 304 if the browser has it already. Returns false if there is no such file. Unlike Express, it also
 * sends 304 to a request that bypasses the browser's cache.
 */
async function sendPageFile(response: Response, name: string, headers: Record<string, string>): Promise<boolean> {
  if (!NAME.test(name)) return false;
  for (const [ending, encoding] of FORMS) {
    if (encoding !== undefined && !response.req.acceptsEncodings(encoding)) continue;
    const bytes = await readFile(path.join(packageFolder(), 'dist', 'dashboard', name + ending)).catch(() => undefined);
    if (!bytes) continue;
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    response.set({ ...headers, 'x-content-type-options': 'nosniff', etag }).type(path.extname(name));
    if (response.statusCode === 200 && response.req.headers['if-none-match'] === etag) response.status(304);
    else if (encoding) response.set('content-encoding', encoding);
    response.send(bytes);
    return true;
  }
  return false;
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
    const headers = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' };
    const isSent = await sendPageFile(response, `assets/${request.params.name}`, headers);
    if (!isSent) throw noFile(request.path);
  });
  mountDocs(router);
  mountProjectDocs(router);
  mountCheck(router, token);
  router.get(PAGES, async (request: Request, response: Response) => {
    const isForPage = acceptsHtml(request) || request.headers.accept?.includes('application/json') !== true;
    if (!isForPage || /\.(?:md|json)$/.test(request.path)) throw noFile(request.path);
    // Serves the page even without the token, because the page asks for the token.
    if (token !== undefined && !hasControlToken(request, token)) response.statusCode = 401;
    const isSent = await sendPageFile(response, 'index.html', {
      'cache-control': 'no-cache',
      vary: 'Accept, Accept-Encoding, Cookie',
      'content-security-policy': POLICY,
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      // Tells the page, which asks with HEAD, that a report of `check` exists.
      ...(existsSync(CHECK_REPORT_FILE) && { link: `<${CHECK}>; rel="related"` }),
    });
    if (!isSent) throw new EmulatorError('not_found', NOT_BUILT);
  });
  router.all([ASSET, CHECK, ...PAGES], (request: Request, _response: Response, next: NextFunction) => {
    if (request.path === '/') return next();
    const allow = { headers: { allow: 'GET, HEAD' } };
    const message = `${request.method} is not a method of the dashboard; use GET.`;
    throw new EmulatorError('method_not_allowed', message, allow);
  });
}

function mountCheck(router: Router, token: string | undefined): void {
  router.get(CHECK, async (request: Request, response: Response) => {
    if (token !== undefined && !hasControlToken(request, token)) {
      throw new EmulatorError('missing_api_key', `${CHECK} requires the control token. Open / and enter it there.`);
    }
    const report = readReport();
    if (report === undefined && !acceptsHtml(request)) throw new EmulatorError('not_found', NO_CHECK);
    response
      .status(report === undefined ? 404 : 200)
      .type('html')
      .set({
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'content-security-policy': "frame-ancestors 'none'",
      });
    response.send(report ?? NO_REPORT);
  });
}

function readReport(): string | undefined {
  try {
    return readPlainFile(CHECK_REPORT_FILE, MAX_MIB);
  } catch {
    return undefined;
  }
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
    const headers = { 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' };
    const isSent = await sendPageFile(response, `docs/${isFile ? name : `${name}.md`}`, headers);
    if (!isSent) next();
  });
}

function wantsMarkdown({ headers }: Request): boolean {
  return headers.accept?.includes('text/markdown') === true;
}
