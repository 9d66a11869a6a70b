import { Download, Images, Play, RefreshCw } from 'lucide-react';
import { useAccounts, useOnlyAccount } from '../data/account-and-clock.ts';
import { at, useFilter, useOpened } from '../data/addresses.ts';
import { deleteRecord, type Found, useAction, useList, useOne, usePages } from '../data/queries.ts';
import { CopyText } from '../pieces/action-button.tsx';
import { ListTools, NoMatches, type OpenRow } from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer, TabbedArea } from '../pieces/drawer.tsx';
import { SelectField } from '../pieces/form.tsx';
import { Button, EmptyState, ErrorNotice, LinkButton, LiveOnly, Notice } from '../pieces/page-parts.tsx';
import { byteSize, Credits, IdChip, playTime, RelativeTime, TextLink } from '../pieces/values.tsx';
import { PictureGrid } from './picture-grid.tsx';
import { DeleteRecord, ElementDrawer, ElementsTab, ObjectDrawer, ObjectsTab } from './saved-records.tsx';
import {
  CompareTakes,
  EntryRecipe,
  EntryTakes,
  KINDS,
  type LibraryEntry,
  PromptUnderstanding,
  titleOf,
} from './takes.tsx';
import './gallery.css';
import { callControl } from '../data/call-api.ts';
import type { AnswerOf } from '../data/records.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { MediaView } from '../pieces/media-view.tsx';

function RenderDrawer({ id, onClose }: DrawerOf) {
  const { record, error } = useOne<LibraryEntry>('/library', id);
  return (
    <RecordDrawer
      {...{ label: 'Render', id, record, error, onClose }}
      title={(entry) => `${KINDS[entry.kind]}: ${titleOf(entry).slice(0, 200)}`}
      before={(entry) => (
        <>
          <div className="drawer-tools">
            <MediaView file={entry} label={titleOf(entry).slice(0, 200)} />
          </div>
          <EntryTools entry={entry} onClose={onClose} />
          <EntryTakes entry={entry} />
        </>
      )}
      facts={factsOf}
    >
      {(entry) => (
        <>
          <PromptUnderstanding entry={entry} />
          <EntryRecipe recipe={entry.recipe} />
        </>
      )}
    </RecordDrawer>
  );
}

function factsOf(entry: LibraryEntry) {
  const { id, credits, job_id, account_id, object_id, content_type, bytes, duration } = entry;
  return {
    Entry: <IdChip id={id} />,
    Cost: <Credits amount={credits} unit />,
    Job: <IdChip id={job_id} />,
    Account: <IdChip id={account_id} />,
    Made: <RelativeTime at={entry.created} />,
    Type: content_type,
    Size: byteSize(bytes),
    Length: duration === null ? null : playTime(duration),
    Stored: object_id ? <IdChip id={object_id} /> : 'No: its URLs are good for 7 days',
  };
}

const OPERATIONS = { image: 'createImage', video: 'createVideo', speech: 'createSpeech', music: 'createSong' };

type RenderCheck = AnswerOf<'renderAgain'>;

function EntryTools({ entry, onClose }: { entry: LibraryEntry; onClose: () => void }) {
  const { id, url, kind } = entry;
  const again = useAction(() => callControl<RenderCheck>('POST', `/library/${id}/render-again`));
  return (
    <>
      <div className="drawer-tools row wrap">
        <LiveOnly>
          <LinkButton text="Use in playground" icon={Play} href={`${at.playground(OPERATIONS[kind])}?from=${id}`} />
          <Button
            text={again.isPending ? 'Rendering' : 'Render again'}
            icon={RefreshCw}
            disabled={again.isPending}
            title="Renders the recipe again, free of charge, and compares the bytes"
            onClick={() => again.mutate(undefined)}
          />
        </LiveOnly>
        <CopyText name="Copy URL" text={() => url} />
        <LinkButton text="Download" icon={Download} isSmall href={stableUrls.of(url)} download />
        <DeleteRecord
          remove={() => deleteRecord('library', id)}
          onClose={onClose}
          title="Delete this render?"
          note="Its file is deleted too, unless something else uses it. A stored copy is kept."
        />
      </div>
      <ErrorNotice error={again.error} />
      {again.data && <CheckResult check={again.data} />}
    </>
  );
}

function CheckResult({ check: { same, sha256, kept_sha256 } }: { check: RenderCheck }) {
  const [made, kept] = [sha256, kept_sha256].map((hash) => <code key={hash}>{hash.slice(0, 16)}…</code>);
  if (same) return <Notice tone="good">Rendered again: the same bytes, SHA-256 {made}</Notice>;
  return (
    <Notice tone="bad">
      Rendered again: other bytes, {made} in place of {kept}. The file was made by another version.
    </Notice>
  );
}

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

const KIND = {
  name: 'kind',
  label: 'Kind',
  options: { '': 'All', image: 'Pictures', video: 'Clips', speech: 'Voices', music: 'Songs' },
};

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
      <ListTools label="Search renders" choices={KIND}>
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
  const offered = models.filter((each) => each.id === field.value || isOf(each));
  const options = [['', 'All models'], ...offered.map(({ id }) => [id])];
  return <SelectField label="Model" {...{ ...field, options }} />;
}

const MADE = Object.keys(OPERATIONS);

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
