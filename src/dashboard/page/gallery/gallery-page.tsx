import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import { PageHead } from '../pieces/page-parts.tsx';
import { useFilter, useTab } from '../pieces/use-address.ts';
import { CompareTakes } from './compare-takes.tsx';
import { ElementDrawer, ElementsTab } from './elements.tsx';
import { ObjectDrawer, ObjectsTab } from './objects.tsx';
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

const tabOf = (id: string) => TAB_OF[id.slice(0, id.indexOf('_'))];

const CONTENTS = { renders: RendersTab, elements: ElementsTab, storage: ObjectsTab } as const;

/** What was made, what prompts can name, and what is stored. */
export default function GalleryPage() {
  const { id, open, close, tab, change } = useTab('gallery', { fallback: 'renders', tabOf });
  const [rival, choose] = useFilter('with');
  const Contents = CONTENTS[tab as keyof typeof CONTENTS] ?? RendersTab;
  if (id && rival) return <CompareTakes ids={[id, rival]} onClose={() => choose('')} />;
  return (
    <Split drawer={id && <AnyDrawer key={id} id={id} onClose={close} />}>
      <PageHead title="Gallery">
        <Choices label="What to show" value={tab} options={TABS} onChange={change} />
      </PageHead>
      <Contents id={id} open={open} />
    </Split>
  );
}

function AnyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  if (id.startsWith('el_')) return <ElementDrawer id={id} onClose={onClose} />;
  if (id.startsWith('obj_')) return <ObjectDrawer id={id} onClose={onClose} />;
  return <RenderDrawer id={id} onClose={onClose} />;
}
