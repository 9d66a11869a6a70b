import { Images } from 'lucide-react';
import { Link } from 'wouter';
import { useAccounts, useOnlyAccount } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { EmptyState, ErrorNotice } from '../pieces/page-parts.tsx';
import { ListTools, NoneLike } from '../pieces/record-list.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { useFilter } from '../pieces/use-address.ts';
import { PictureGrid } from './picture-grid.tsx';
import { useEntries } from './use-entries.ts';

const KIND_CHOICES = [
  ['', 'All'],
  ['image', 'Pictures'],
  ['video', 'Clips'],
  ['speech', 'Voices'],
  ['music', 'Songs'],
] as const;

interface ListedModel {
  id: string;
  kind: string;
}

/** Every picture, clip, voice and song. */
export function RendersTab({ id, open }: { id: string | undefined; open: (id: string) => void }) {
  const [kind] = useFilter('kind');
  const [model, setModel] = useFilter('model');
  const [text] = useFilter('q');
  const only = useOnlyAccount();
  const filter = {
    account_id: only,
    kind: kind || undefined,
    model: model || undefined,
    text: text.slice(0, 200) || undefined,
  };
  const { rows, error, isPending, more, count } = useEntries(filter);
  const isFiltered = Object.values(filter).some((each) => each !== undefined);
  return (
    <>
      <ListTools label="Search renders" choices={{ name: 'kind', label: 'Kind', options: KIND_CHOICES }}>
        <ModelField kind={kind} value={model} onChange={setModel} />
      </ListTools>
      <ErrorNotice error={error} />
      <PictureGrid
        entries={rows}
        opened={id}
        onOpen={open}
        more={more}
        empty={isPending || error ? null : <NoRenders isFiltered={isFiltered} count={count} />}
      />
    </>
  );
}

interface ModelFieldProps {
  kind: string;
  value: string;
  onChange: (value: string) => void;
}

function ModelField({ kind, value, onChange }: ModelFieldProps) {
  const { data: models = [] } = useList<ListedModel>('/models');
  const fitting = models.filter(
    (each) => each.id === value || (kind === '' ? MADE.includes(each.kind) : each.kind === kind),
  );
  const options = fitting.map(({ id }) => ({ value: id, text: id }));
  return (
    <SelectField
      label="Model"
      value={value}
      options={[{ value: '', text: 'Every model' }, ...options]}
      onChange={onChange}
    />
  );
}

/** What makes files. */
const MADE = ['image', 'video', 'speech', 'music'];

function NoRenders({ isFiltered, count }: { isFiltered: boolean; count: (q: string) => Promise<number> }) {
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
