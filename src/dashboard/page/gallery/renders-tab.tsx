import { Images } from 'lucide-react';
import { Link } from 'wouter';
import { useAccounts, useOnlyAccount } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { type Found, useList, usePages } from '../data/queries.ts';
import { EmptyState, ErrorNotice } from '../pieces/page-parts.tsx';
import { ListTools, NoneLike, type Opening } from '../pieces/record-list.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { useFilter } from '../pieces/use-address.ts';
import type { LibraryEntry } from './gallery-records.ts';
import { PictureGrid } from './picture-grid.tsx';

const KIND_CHOICES = Object.entries({ '': 'All', image: 'Pictures', video: 'Clips', speech: 'Voices', music: 'Songs' });

/** Every picture, clip, voice and song. */
export function RendersTab(opening: Opening) {
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
  const fitting = models.filter((each) => each.id === field.value || isOf(each));
  const options = [['', 'Every model'], ...fitting.map(({ id }) => [id])];
  return <SelectField label="Model" {...{ ...field, options }} />;
}

/** What makes files. */
const MADE = ['image', 'video', 'speech', 'music'];

function NoRenders({ isFiltered, count }: { isFiltered: boolean; count: Found<unknown>['count'] }) {
  const { account } = useAccounts();
  if (isFiltered) return <NoneLike what="renders" count={count} />;
  return (
    <EmptyState icon={Images} title="Nothing has been rendered yet">
      <p>
        <Link className="named mono" href={at.playground('createImage')}>
          Make a picture
        </Link>{' '}
        in the playground{account?.name ? ` as ${account.name}` : ''}, or send a request: it appears here by itself.
      </p>
    </EmptyState>
  );
}
