import { Download, Play, RefreshCw } from 'lucide-react';
import { at } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { deleteRecord, useAction, useOne } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { CopyText } from '../pieces/action-button.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { Button, ErrorNotice, LinkButton, LiveOnly, Notice } from '../pieces/page-parts.tsx';
import { byteSize, Credits, IdChip, playTime, RelativeTime } from '../pieces/values.tsx';
import { DeleteRecord, KINDS, type LibraryEntry, titleOf } from './gallery-records.tsx';
import { EntryRecipe, EntryTakes, PromptUnderstanding } from './takes.tsx';

/** A render, played in place, with what it was made from. */
export function RenderDrawer({ id, onClose }: DrawerOf) {
  const { record, error } = useOne<LibraryEntry>('/library', id);
  return (
    <RecordDrawer
      {...{ label: 'Render', id, record, error, onClose }}
      title={(entry) => `${KINDS[entry.kind]}: ${titleOf(entry).slice(0, 200)}`}
      before={(entry) => (
        <>
          <div className="drawer-tools">
            <MediaView
              url={entry.url}
              contentType={entry.content_type}
              label={titleOf(entry).slice(0, 200)}
              poster={entry.thumbnail_url}
            />
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

const OPERATIONS = {
  image: 'createImage',
  video: 'createVideo',
  speech: 'createSpeech',
  music: 'createSong',
};

type RenderCheck = AnswerOf<'renderAgain'>;

/** What can be done with a render. */
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
        <CopyText text={() => url}>Copy URL</CopyText>
        <LinkButton text="Download" icon={Download} isSmall href={stableUrls.of(url)} download />
        <DeleteRecord
          act={() => deleteRecord('library', id)}
          onClose={onClose}
          confirm={{
            title: 'Delete this render?',
            note: 'Its file is deleted too, unless something else uses it. A stored copy is kept.',
          }}
        />
      </div>
      <ErrorNotice error={again.error} />
      {again.data && <CheckResult check={again.data} />}
    </>
  );
}

function CheckResult({ check: { same, sha256, kept_sha256 } }: { check: RenderCheck }) {
  if (same) {
    return (
      <Notice tone="good">
        Rendered again: the same bytes, SHA-256 <code>{sha256.slice(0, 16)}…</code>
      </Notice>
    );
  }
  return (
    <Notice tone="bad">
      Rendered again: other bytes, <code>{sha256.slice(0, 16)}…</code> in place of{' '}
      <code>{kept_sha256.slice(0, 16)}…</code>. The file was made by another version.
    </Notice>
  );
}
