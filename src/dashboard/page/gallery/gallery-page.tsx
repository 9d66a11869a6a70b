import { Images } from 'lucide-react';
import { useAccounts, useOnlyAccount } from '../data/account-and-clock.ts';
import { at, useFilter, useOpened } from '../data/addresses.ts';
import { type Found, useList, usePages } from '../data/queries.ts';
import { TabbedArea } from '../pieces/drawer.tsx';
import { SelectField } from '../pieces/form-field.tsx';
import { EmptyState, ErrorNotice } from '../pieces/page-parts.tsx';
import { ListTools, NoMatches, type OpenRow } from '../pieces/record-list.tsx';
import { TextLink } from '../pieces/values.tsx';
import { ElementDrawer, ElementsTab } from './elements.tsx';
import type { LibraryEntry } from './gallery-records.tsx';
import { ObjectDrawer, ObjectsTab } from './objects.tsx';
import { PictureGrid } from './picture-grid.tsx';
import { RenderDrawer } from './render-drawer.tsx';
import { CompareTakes } from './takes.tsx';
import './gallery.css';

/** Renders, elements and stored files. */
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

const KIND_CHOICES = Object.entries({ '': 'All', image: 'Pictures', video: 'Clips', speech: 'Voices', music: 'Songs' });

/** Every picture, clip, voice and song. */
function RendersTab(opening: OpenRow) {
  const [kind] = useFilter('kind');
  const [model, setModel] = useFilter('model');
  const [text] = useFilter('q');
  const only = useOnlyAccount();
  const narrowed = { account_id: only, kind, model, text: text.slice(0, 200) };
  const found = usePages<LibraryEntry>('/library', { params: { ...narrowed, limit: 100 }, word: 'text' });
  const { rows, error, isPending, more, count } = found;
  const isFiltered = Object.values(narrowed).some(Boolean);
  return (
    <>
      <ListTools label="Search renders" choices={{ name: 'kind', label: 'Kind', options: KIND_CHOICES }}>
        <ModelField {...{ kind, value: model, onChange: setModel }} />
      </ListTools>
      <ErrorNotice error={error} />
      <PictureGrid
        {...{ entries: rows, ...opening, more }}
        empty={!isPending && !error && <NoRenders {...{ isFiltered, count }} />}
      />
    </>
  );
}

function ModelField({ kind, ...field }: { kind: string; value: string; onChange: (value: string) => void }) {
  const { data: models = [] } = useList<{ id: string; kind: string }>('/models');
  const isOf = (each: { kind: string }) => (kind === '' ? MADE.includes(each.kind) : each.kind === kind);
  const matchingRows = models.filter((each) => each.id === field.value || isOf(each));
  const options = [['', 'All models'], ...matchingRows.map(({ id }) => [id])];
  return <SelectField label="Model" {...{ ...field, options }} />;
}

/** What makes files. */
const MADE = ['image', 'video', 'speech', 'music'];

function NoRenders({ isFiltered, count }: { isFiltered: boolean; count: Found<unknown>['count'] }) {
  const { account } = useAccounts();
  if (isFiltered) return <NoMatches what="renders" count={count} />;
  return (
    <EmptyState icon={Images} title="No renders yet">
      <p>
        <TextLink href={at.playground('createImage')} text="Make a picture" /> in the playground
        {account?.name ? ` as ${account.name}` : ''}, or send a request: it appears here.
      </p>
    </EmptyState>
  );
}
