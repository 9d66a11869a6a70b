import { TabbedArea } from '../pieces/tabbed-area.tsx';
import { useFilter, useOpened } from '../pieces/use-address.ts';
import { CompareTakes } from './compare-takes.tsx';
import { ElementDrawer, ElementsTab } from './elements.tsx';
import { ObjectDrawer, ObjectsTab } from './objects.tsx';
import { RenderDrawer } from './render-drawer.tsx';
import { RendersTab } from './renders-tab.tsx';
import './gallery.css';

/** What was made, what prompts can name, and what is stored. */
export default function GalleryPage() {
  const { id } = useOpened('gallery');
  const [rival, choose] = useFilter('with');
  if (id && rival) return <CompareTakes ids={[id, rival]} onClose={() => choose('')} />;
  return (
    <TabbedArea
      area="gallery"
      title="Gallery"
      tabs={[
        { name: 'renders', text: 'Renders', Contents: RendersTab, Drawer: RenderDrawer, ids: ['lib_'] },
        { name: 'elements', text: 'Elements', Contents: ElementsTab, Drawer: ElementDrawer, ids: ['el_'] },
        { name: 'storage', text: 'Storage', Contents: ObjectsTab, Drawer: ObjectDrawer, ids: ['obj_'] },
      ]}
    />
  );
}
