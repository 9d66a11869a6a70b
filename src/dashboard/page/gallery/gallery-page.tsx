import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { Split } from '../pieces/drawer.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { TabArea, TabNames, TabPanel } from '../pieces/tab-area.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { CompareTakes } from './compare-takes.tsx';
import { ElementDrawer } from './element-drawer.tsx';
import { ElementsTab } from './elements-tab.tsx';
import { ObjectDrawer } from './object-drawer.tsx';
import { ObjectsTab } from './objects-tab.tsx';
import { RenderDrawer } from './render-drawer.tsx';
import { RendersTab } from './renders-tab.tsx';
import './gallery.css';

const TABS = [
  ['renders', 'Renders'],
  ['elements', 'Elements'],
  ['storage', 'Storage'],
] as const;

/** By how an id begins. */
const TAB_OF: Record<string, string> = { lib: 'renders', el: 'elements', obj: 'storage' };

/** What was made, what prompts can name, and what is stored. */
export default function GalleryPage() {
  const { id, tab, open, close, goTo } = useGalleryPlace();
  const [rival] = useFilter('with');
  if (id && rival) return <CompareTakes ids={[id, rival]} onClose={() => goTo('renders', id)} />;
  return (
    <TabArea value={tab} onChange={goTo}>
      <Split drawer={id && <AnyDrawer key={id} id={id} onClose={close} />}>
        <PageHead title="Gallery">
          <TabNames label="What to show" tabs={TABS} />
        </PageHead>
        <TabPanel value={tab}>
          {tab === 'renders' && <RendersTab id={id} open={open} />}
          {tab === 'elements' && <ElementsTab id={id} open={open} />}
          {tab === 'storage' && <ObjectsTab id={id} open={open} />}
        </TabPanel>
      </Split>
    </TabArea>
  );
}

function AnyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  if (id.startsWith('el_')) return <ElementDrawer id={id} onClose={onClose} />;
  if (id.startsWith('obj_')) return <ObjectDrawer id={id} onClose={onClose} />;
  return <RenderDrawer id={id} onClose={onClose} />;
}

/** Which tab and which drawer an address means: an id alone says its tab. */
function useGalleryPlace() {
  const { id, open, close: closeHere } = useOpened('gallery');
  const [, navigate] = useLocation();
  const [named] = useFilter('tab', 'renders');
  const tab = (id && TAB_OF[id.slice(0, id.indexOf('_'))]) ?? named;
  const goTo = useCallback(
    (next: string, opened?: string) => navigate(at.gallery(opened) + (next === 'renders' ? '' : `?tab=${next}`)),
    [navigate],
  );
  const close = useCallback(() => (tab === named ? closeHere() : goTo(tab)), [tab, named, closeHere, goTo]);
  return { id, tab: tab || 'renders', open, close, goTo };
}
