import * as icons from 'lucide-react';
import { createRoot } from 'react-dom/client';
import { openSession } from './data/call-api.ts';
import './pieces/tokens.css';
import './pieces/pieces.css';
import { at } from './data/addresses.ts';
import { followTheme, later } from './data/browser.ts';
import { LatePart } from './data/late-part.ts';
import { area, areaOf, COMMON_AREAS, loadPages, setAreas } from './shell/areas.ts';
import { Dashboard } from './shell/page-shell.tsx';

const { live, money, webhooks, timeline } = COMMON_AREAS;

const OTHERS = [
  area('flows', 'Flows', icons.Workflow, { letter: 'f', page: new LatePart(() => import('./flows/flows-page.tsx')) }),
  area('jobs', 'Jobs and time', icons.ListChecks, {
    letter: 'j',
    page: new LatePart(() => import('./jobs/jobs-page.tsx')),
  }),
  area('gallery', 'Gallery', icons.Images, {
    letter: 'g',
    page: new LatePart(() => import('./gallery/gallery-page.tsx')),
  }),
  area('playground', 'Playground', icons.Play, {
    letter: 'p',
    page: new LatePart(() => import('./playground/playground-page.tsx')),
  }),
  area('faults', 'Faults and snapshots', icons.ShieldAlert, {
    letter: 'x',
    page: new LatePart(() => import('./faults/faults-page.tsx')),
  }),
  area('people', 'Keys and people', icons.Users, {
    letter: 'k',
    page: new LatePart(() => import('./people/people-page.tsx')),
  }),
  area('docs', 'Docs', icons.BookOpen, { letter: 'd', page: new LatePart(() => import('./reference/docs-page.tsx')) }),
  area('verdict', 'Verdict', icons.Scale, {
    under: 'live',
    page: new LatePart(() => import('./verdict/verdict-page.tsx')),
  }),
];

/** The tab icon shows the port, to distinguish the emulator from the real service. */
function showTabIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const port = window.location.port.slice(-4);
  if (!link || port === '') return;
  const size = port.length > 3 ? 13 : 16;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#4f46e5"/><text x="16" y="21" font-family="system-ui,sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${port}</text></svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** In milliseconds. */
const SOON = 60;

followTheme();
setAreas([live, money, webhooks, ...OTHERS, timeline]);
showTabIcon();
await takeToken();
const first = areaOf(window.location.pathname) ?? areaOf(at.live());
// Draws the first page at once if it is loaded soon.
const soon = new Promise<void>((resolve) => later(SOON, resolve));
if (first) await Promise.race([first.page.load(), soon]);
const root = document.getElementById('page');
if (root) createRoot(root).render(<Dashboard />);
// While the emulator runs, because it may stop before they are opened.
loadPages();

async function takeToken(): Promise<void> {
  const url = new URL(window.location.href);
  const token = url.searchParams.get('token');
  if (token === null) return;
  url.searchParams.delete('token');
  window.history.replaceState(null, '', url);
  // The form reports a wrong token.
  await openSession(token).catch(() => undefined);
}
