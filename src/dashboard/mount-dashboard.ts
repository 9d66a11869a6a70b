import type { Express, NextFunction, Request, Response } from 'express';
import { EmulatorError } from '../base/errors.ts';
import { bringsToken } from '../service/http/auth.ts';
import { asksForPage } from '../service/http/origin-check.ts';
import { readPageFile, sendFile } from './page-file.ts';

/** Every address of the page is the same file: what it shows is decided by the page. */
const PAGES = ['/', '/dashboard{/*rest}', '/docs{/*rest}'];
const ASSET = '/dashboard/assets/:name';

/** The style that the waveform brings along, with waveforms of 64 pixels: no other inline style is allowed. */
const WAVEFORM = "'sha256-fF0LBso7Nz75zaFRDBUefBDvPe19hjaiDnnc8lt+2Js='";

/** Scripts, styles and fonts of the page only, no other host, and no framing. */
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

/** The page for the person at this machine. `token` is what the control surface wants beyond loopback. */
export function mountDashboard(app: Express, token: string | undefined): void {
  app.get(ASSET, async (request: Request, response: Response) => {
    const file = await readPageFile(`assets/${request.params.name}`, request);
    if (!file) throw noFile(request.path);
    response.set({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' });
    sendFile(response, file);
  });
  mountDocs(app);
  app.get(PAGES, async (request: Request, response: Response) => {
    if (!isForPage(request) || /\.(?:md|json)$/.test(request.path)) throw noFile(request.path);
    const file = await readPageFile('index.html', request);
    if (!file) throw notBuilt();
    // Without the token it is still the page that asks for it.
    if (token !== undefined && !bringsToken(request, token)) response.statusCode = 401;
    response.set({ 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding, Cookie' });
    response.set({ 'content-security-policy': POLICY, 'referrer-policy': 'same-origin' });
    response.set('cross-origin-opener-policy', 'same-origin');
    sendFile(response, file);
  });
  app.all([ASSET, ...PAGES], (request: Request, _response: Response, next: NextFunction) => {
    if (request.path === '/') return next();
    const allow = { headers: { allow: 'GET, HEAD' } };
    const message = `${request.method} is not a method of the dashboard; use GET.`;
    throw new EmulatorError('method_not_allowed', message, allow);
  });
}

/** A program that accepts only JSON gets the error as JSON. */
function isForPage(request: Request): boolean {
  return asksForPage(request) || request.headers.accept?.includes('application/json') !== true;
}

function noFile(path: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no ${path.slice(0, 120)}. The service is under /v1, the control surface under /_emulator; a browser finds the dashboard at /.`,
  );
}

function notBuilt(): EmulatorError {
  return new EmulatorError('not_found', 'The dashboard is not built. Run npm run build, or install svc-emulator anew.');
}

/** The documentation as files: Markdown for tools that read, and the trees from which the dashboard draws it. */
function mountDocs(app: Express): void {
  app.get(['/docs', '/docs/:name'], async (request: Request, response: Response, next) => {
    const file = await readDocs(request);
    if (!file) return next();
    response.set({ 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
    sendFile(response, file);
  });
}

/** `/docs/quickstart.md`, `/docs/quickstart.json`; or `/docs/quickstart` itself for clients that accept Markdown. */
function readDocs(request: Request) {
  const { name = 'README' } = request.params as { name?: string };
  const isFile = /\.(?:md|json)$/.test(name);
  if (!isFile && request.headers.accept?.includes('text/markdown') !== true) return undefined;
  return readPageFile(`docs/${isFile ? name : `${name}.md`}`, request);
}
