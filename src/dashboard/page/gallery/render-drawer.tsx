import { useQuery } from '@tanstack/react-query';
import { Download, Play, RefreshCw } from 'lucide-react';
import type { UnderstoodPrompt } from '../../../render/scene/scene-lexicon.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAction, useOne } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { Button, LinkButton, LiveOnly } from '../pieces/button.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { ErrorNotice, Facts, Notice, Section } from '../pieces/page-parts.tsx';
import { byteSize, CopyText, Credits, IdChip, playTime, RelativeTime } from '../pieces/values.tsx';
import { DeleteRecord, KINDS, type LibraryEntry, titleOf } from './gallery-records.tsx';
import { EntryRecipe, EntryTakes } from './takes.tsx';

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
              url={stableUrls.of(entry.url)}
              contentType={entry.content_type}
              label={titleOf(entry).slice(0, 200)}
              poster={stableUrls.of(entry.thumbnail_url)}
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

/** The longest prompt that a preview accepts, in code points; prompts of clips may be longer. */
const LONGEST = 2_400;

/** What was understood of the prompt of a picture or clip; empty if it names nothing. */
function PromptUnderstanding({ entry }: { entry: LibraryEntry }) {
  const { data } = useUnderstanding(entry);
  if (!data) return null;
  const facts = understoodFacts(data);
  if (Object.values(facts).every((fact) => fact === null)) return null;
  return (
    <Section title="Understood">
      <Facts facts={{ Language: languageOf(data), ...facts }} />
    </Section>
  );
}

function useUnderstanding({ kind, recipe }: LibraryEntry) {
  const prompt = recipe.prompt || '';
  const isAsked = !recordSource.value && (kind === 'image' || kind === 'video');
  return useQuery({
    queryKey: ['prompt understanding', prompt],
    queryFn: () => callControl<UnderstoodPrompt>('POST', '/renders/preview', { kind, prompt }),
    enabled: isAsked && prompt !== '' && Array.from(prompt).length <= LONGEST,
  });
}

function understoodFacts(understood: UnderstoodPrompt): Record<string, string | null> {
  const { subjects, place, time_of_day, weather, season, style, negated } = understood;
  const named = subjects.map(({ count, colour, concept }) => [count, colour, concept].filter(Boolean).join(' '));
  return {
    Subjects: listOf(named),
    Place: place,
    'Time of day': time_of_day,
    Weather: weather,
    Season: season,
    Style: style,
    'Left out': listOf(negated),
  };
}

function listOf(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(', ');
}

function languageOf({ language }: UnderstoodPrompt): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
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
          resource="library"
          id={id}
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
