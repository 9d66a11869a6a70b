import { Download, Play, RefreshCw, Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { deleteRecord, useAct } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { Act } from '../pieces/act.tsx';
import { CopyText } from '../pieces/ids.tsx';
import { Button, ErrorNotice, LinkButton, Notice, OfService } from '../pieces/page-parts.tsx';
import type { LibraryEntry } from './gallery-records.ts';

const OPERATIONS = {
  image: 'createImage',
  video: 'createVideo',
  speech: 'createSpeech',
  music: 'createSong',
};

type RenderCheck = AnswerOf<'renderAgain'>;

/** What can be done with a render. */
export function EntryTools({ entry, onClose }: { entry: LibraryEntry; onClose: () => void }) {
  const { id, url, kind } = entry;
  const again = useAct(() => callControl<RenderCheck>('POST', `/library/${id}/render-again`));
  return (
    <>
      <div className="drawer-tools row wrap">
        <OfService>
          <LinkButton text="Use in playground" icon={Play} href={`${at.playground(OPERATIONS[kind])}?from=${id}`} />
          <Button
            text={again.isPending ? 'Rendering' : 'Render again'}
            icon={RefreshCw}
            disabled={again.isPending}
            title="Renders the recipe once more, free of charge, and compares the bytes"
            onClick={() => again.mutate(undefined)}
          />
        </OfService>
        <CopyText text={() => url}>Copy URL</CopyText>
        <LinkButton text="Download" icon={Download} isSmall href={steadyUrls.of(url)} download />
        <DeleteRecord
          resource="library"
          id={id}
          onClose={onClose}
          ask={{
            title: 'Delete this render?',
            note: 'Its file goes along, unless something else needs it. A stored copy stays.',
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

/** A button that deletes a record, once asked, and closes what shows it. */
export function DeleteRecord({
  resource,
  id,
  ask,
  onClose,
}: {
  resource: 'elements' | 'library';
  id: string;
  ask: NonNullable<ComponentProps<typeof Act>['ask']>;
  onClose: () => void;
}) {
  const act = () => {
    onClose();
    return deleteRecord(resource, id);
  };
  return <Act text="Delete" icon={Trash2} look="quiet" isSmall act={act} said={['Deleted']} ask={ask} />;
}
