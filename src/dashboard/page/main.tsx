import { createRoot } from 'react-dom/client';
import { openSession } from './data/call-api.ts';
import './components/tokens.css';
import './components/components.css';
import { preloadPages, setAreaPages } from './data/areas.ts';
import { Dashboard } from './shell/page-shell.tsx';

/** The tab icon shows the last digits of the port, to distinguish the emulator from the real service. */
function showTabIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const port = window.location.port.slice(-4);
  if (!link || port === '') return;
  const size = port.length > 3 ? 13 : 16;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#4f46e5"/><text x="16" y="21" font-family="system-ui,sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${port}</text></svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

setAreaPages({
  live: () => import('./live/live-page.tsx'),
  money: () => import('./money/money-page.tsx'),
  webhooks: () => import('./webhooks/webhooks-page.tsx'),
  flows: () => import('./flows/flows-page.tsx'),
  jobs: () => import('./jobs/jobs-page.tsx'),
  gallery: () => import('./gallery/gallery-page.tsx'),
  playground: () => import('./playground/playground-page.tsx'),
  faults: () => import('./faults/faults-page.tsx'),
  people: () => import('./people/people-page.tsx'),
  docs: () => import('./reference/docs-page.tsx'),
  verdict: () => import('./verdict/verdict-page.tsx'),
  timeline: () => import('./timeline/timeline-page.tsx'),
});
showTabIcon();
await takeToken();
const root = document.getElementById('page');
if (root) createRoot(root).render(<Dashboard />);
// Loads the other pages now, because the emulator may stop before they are opened.
preloadPages();

async function takeToken(): Promise<void> {
  const url = new URL(window.location.href);
  const token = url.searchParams.get('token');
  if (token === null) return;
  url.searchParams.delete('token');
  window.history.replaceState(null, '', url);
  // Ignores a wrong token: the page then shows the form that asks for one.
  await openSession(token).catch(() => undefined);
}
