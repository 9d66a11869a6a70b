import { createRoot } from 'react-dom/client';
import { openSession } from './data/call-api.ts';
import './pieces/tokens.css';
import './pieces/pieces.css';
import { followTheme } from './data/page-store.ts';
import { Dashboard } from './shell/dashboard.tsx';
import { showTabIcon } from './shell/tab-icon.ts';

followTheme();
showTabIcon();
await takeToken();
const place = document.getElementById('page');
if (place) createRoot(place).render(<Dashboard />);

/** A token that stands in the address is taken once, and out of the address and its history. */
async function takeToken(): Promise<void> {
  const url = new URL(window.location.href);
  const token = url.searchParams.get('token');
  if (token === null) return;
  url.searchParams.delete('token');
  window.history.replaceState(null, '', url);
  // A wrong one is asked for by the form.
  await openSession(token).catch(() => undefined);
}
