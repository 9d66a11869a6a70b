import { useEffect, useRef, useState } from 'react';
import { loadPatiently } from '../data/load-patiently.ts';
import { useStore } from '../data/page-store.ts';
import { theme } from '../data/theme.ts';
import { Choices } from '../pieces/choices.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useMedia } from '../pieces/use-media.ts';
import './reference.css';

const SERVICE = '/openapi.json';
const DOCUMENTS: Record<string, string> = { service: SERVICE, control: '/_emulator/openapi.json' };
const OPTIONS = [
  ['service', 'Service'],
  ['control', 'Control surface'],
] as const;

/** Every operation, drawn from the OpenAPI documents; each can be tried. */
export default function ReferencePage() {
  const [of, setOf] = useFilter('of', 'service');
  const url = DOCUMENTS[of] ?? SERVICE;
  return (
    <>
      <PageHead title="API reference">
        <Choices label="Document" value={of} options={OPTIONS} onChange={setOf} />
        <span className="page-head-gap" />
        <a className="button" href={url}>
          OpenAPI document
        </a>
      </PageHead>
      <Reference key={url} url={url} />
    </>
  );
}

function Reference({ url }: { url: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useDarkClass();
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    // A place of its own each time: what draws there never lets go of it.
    const canvas = box.appendChild(document.createElement('div'));
    void loadPatiently(async () => {
      const { drawReference } = await import('./draw-reference.ts');
      if (canvas.isConnected) await drawReference(canvas, url);
    }).then(() => setDrawn(true));
    return () => canvas.remove();
  }, [url]);
  return (
    <div className="reference" tabIndex={0} role="region" aria-label="Operations">
      {!isDrawn && <p className="reference-wait">Reading the document…</p>}
      <div ref={place} />
    </div>
  );
}

/** The renderer has dark colours of its own, by a class of the whole page. */
function useDarkClass(): void {
  const chosen = useStore(theme);
  const systemIsDark = useMedia('(prefers-color-scheme: dark)');
  const isDark = chosen === 'system' ? systemIsDark : chosen === 'dark';
  useEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle('dark-mode', isDark);
    return () => classList.remove('dark-mode');
  }, [isDark]);
}
