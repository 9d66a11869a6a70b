import { Download, Images, Play } from 'lucide-react';
import { capitalized } from '../../../base/text.ts';
import { byteSizeText } from '../../../control/orders/timeline-entry.ts';
import { CopyTextButton } from '../components/action-button.tsx';
import { ListToolbar, LoadMore, NoMatches, type OpenRowProps } from '../components/data-list.tsx';
import { RecordDrawer, TabbedPage, type TabDrawerProps } from '../components/drawer.tsx';
import { SelectField } from '../components/form.tsx';
import { DetailList, EmptyState, ErrorNotice, LinkButton, Section } from '../components/page-parts.tsx';
import { Credits, formatPlayTime, IdChip, RelativeTime, TextLink } from '../components/values.tsx';
import { useAccountSelection } from '../data/account-and-clock.ts';
import { useUrlParam } from '../data/addresses.ts';
import { loadableFileUrl } from '../data/call-api.ts';
import { useTimeline } from '../data/order-store.ts';
import { type ListRecord, usePagedRecords, useRecord, useRows } from '../data/queries.ts';
import { ElementDrawer, ElementsTab, ObjectDrawer, ObjectsTab } from './saved-records.tsx';
import './gallery.css';
import { MediaView } from '../components/media-view.tsx';
import { Picture } from '../components/picture.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { useChosenAccountId } from '../data/chosen-account.ts';

type GalleryEntry = ListRecord<'listLibrary'>;

const KINDS = { image: 'Image', video: 'Video', speech: 'Speech', music: 'Song' };

function titleOf({ recipe, kind }: GalleryEntry): string {
  const { title, prompt, input, style, lyrics } = recipe;
  return String(title || prompt || input || style || lyrics || KINDS[kind]);
}

function RenderDrawer({ id, onClose }: TabDrawerProps) {
  return (
    <RecordDrawer
      {...useRecord('showEntry', id)}
      {...{ label: 'Render', onClose }}
      title={(entry) => `${KINDS[entry.kind]}: ${titleOf(entry).slice(0, 200)}`}
      before={(entry) => (
        <>
          <div className="drawer-tools">
            <MediaView file={entry} label={titleOf(entry).slice(0, 200)} />
          </div>
          <div className="drawer-tools row wrap">
            <LinkButton
              text="Use in playground"
              icon={Play}
              href={`${areaPathBuilders.playground(OPERATIONS[entry.kind])}?from=${id}`}
            />
            <CopyTextButton name="Copy URL" text={() => entry.url} />
            <LinkButton text="Download" icon={Download} isSmall href={loadableFileUrl(entry.url)} download />
          </div>
        </>
      )}
      details={(entry) => ({
        Entry: <IdChip id={id} />,
        Cost: <Credits amount={entry.credits} unit />,
        Job: <IdChip id={entry.job_id} />,
        Account: <IdChip id={entry.account_id} />,
        Created: <RelativeTime at={entry.created} />,
        Type: entry.content_type,
        Size: byteSizeText(entry.bytes),
        Length: entry.duration === null ? null : formatPlayTime(entry.duration),
        Stored: entry.object_id ? <IdChip id={entry.object_id} /> : 'No: its URLs are valid for 7 days',
      })}
    >
      {(entry) => (
        <>
          <SameOrder entry={entry} />
          <EntryRecipe recipe={entry.recipe} />
        </>
      )}
    </RecordDrawer>
  );
}

function SameOrder({ entry: { id, job_id: job } }: { entry: GalleryEntry }) {
  const { data } = useTimeline(job);
  const others = data?.made.filter((file) => file.library_id !== id) ?? [];
  if (others.length === 0) return null;
  return (
    <Section title="From the same order">
      {others.map(({ library_id: other }) => (
        <IdChip key={other} id={other} />
      ))}
    </Section>
  );
}

const TEXTS = ['prompt', 'input', 'style', 'lyrics', 'negative_prompt'];

const wordsOf = (name: string) => capitalized(name.replaceAll('_', ' '));

function EntryRecipe({ recipe }: { recipe: GalleryEntry['recipe'] }) {
  const others = Object.entries(recipe).filter(([name]) => !TEXTS.includes(name));
  const texts = TEXTS.filter((name) => recipe[name]);
  return (
    <>
      {texts.map((name) => (
        <Section key={name} title={wordsOf(name)}>
          <p className="pre" dir="auto">
            {shown(recipe[name])}
          </p>
        </Section>
      ))}
      <Section title="Recipe">
        <DetailList details={Object.fromEntries(others.map(([name, value]) => [wordsOf(name), shown(value)]))} />
      </Section>
    </>
  );
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const OPERATIONS = { image: 'createImage', video: 'createVideo', speech: 'createSpeech', music: 'createSong' };

export default function GalleryPage() {
  return (
    <TabbedPage
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

const KIND = {
  name: 'kind',
  label: 'Kind',
  options: { '': 'All', image: 'Images', video: 'Videos', speech: 'Speech', music: 'Songs' },
};

function RendersTab(opening: OpenRowProps) {
  const [kind] = useUrlParam('kind');
  const [model, setModel] = useUrlParam('model');
  const [text] = useUrlParam('q');
  const only = useChosenAccountId();
  const narrowed = { account_id: only, kind: kind as GalleryEntry['kind'], model, text: text.slice(0, 200) };
  const found = usePagedRecords('listLibrary', { ...narrowed, limit: 100 });
  const { rows, error, isPending, hasMore, more } = found;
  const isFiltered = Object.values(narrowed).some(Boolean);
  const { data: models = [] } = useRows('listAllModels', {});
  const isOffered = (each: { id: string; kind: string }) =>
    each.id === model || (kind === '' ? each.kind in OPERATIONS : each.kind === kind);
  const options = [['', 'All models'], ...models.filter(isOffered).map(({ id }) => [id])];
  return (
    <>
      <ListToolbar label="Search renders" choices={KIND}>
        <SelectField label="Model" value={model} options={options} onChange={setModel} />
      </ListToolbar>
      <ErrorNotice error={error} />
      {rows.length === 0 && !isPending && !error && (isFiltered ? <NoMatches /> : <NoRenders />)}
      {rows.length > 0 && (
        <div className="fill scrolls padded" tabIndex={0} role="region" aria-label="Renders">
          <ul className="gallery-tiles">
            {rows.map((entry) => (
              <Tile key={entry.id} entry={entry} {...opening} />
            ))}
          </ul>
          {hasMore && <LoadMore more={more} text="Show older renders" />}
        </div>
      )}
    </>
  );
}

function Tile({ entry, opened, onOpen }: { entry: GalleryEntry } & OpenRowProps) {
  const { id, kind, model, duration, recipe, created, thumbnail_url } = entry;
  return (
    <li>
      <button type="button" className="tile bare" aria-pressed={opened === id} onClick={() => onOpen(id)}>
        <span className="tile-picture centred" data-kind={kind}>
          <Picture url={thumbnail_url} />
          {duration !== null && <span className="length small">{formatPlayTime(duration)}</span>}
        </span>
        <span className="strong cut" dir="auto">
          <span className="unseen">{KINDS[kind]}: </span>
          {titleOf(entry).slice(0, 120)}
        </span>
        <span className="soft small cut">
          {recipe.take !== undefined && `Take ${recipe.take} · `}
          {model} · <RelativeTime at={created} />
        </span>
      </button>
    </li>
  );
}

function NoRenders() {
  const { account } = useAccountSelection();
  return (
    <EmptyState icon={Images} title="No renders yet">
      <p>
        <TextLink href={areaPathBuilders.playground('createImage')} text="Create an image" /> in the playground
        {account?.name ? ` as ${account.name}` : ''}, or send a request to see it here.
      </p>
    </EmptyState>
  );
}
