import { useRecord } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { byteSize, playTime } from '../pieces/byte-size.ts';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { EntryRecipe } from './entry-recipe.tsx';
import { EntryTakes } from './entry-takes.tsx';
import { EntryTools } from './entry-tools.tsx';
import { KINDS, type LibraryEntry, titleOf } from './gallery-records.ts';
import { PromptUnderstanding } from './prompt-understanding.tsx';

/** A render, played in place, with what it was made from. */
export function RenderDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<LibraryEntry>(`/library/${id}`);
  const entry = data?.id === id ? data : undefined;
  return (
    <Drawer
      label="Render"
      title={entry ? `${KINDS[entry.kind]}: ${titleOf(entry).slice(0, 200)}` : id}
      onClose={onClose}
    >
      <ErrorNotice error={error} />
      {entry && !error && (
        <>
          <div className="entry-media">
            <MediaView
              url={steadyUrls.of(entry.url)}
              contentType={entry.content_type}
              label={titleOf(entry).slice(0, 200)}
              poster={steadyUrls.of(entry.thumbnail_url)}
            />
          </div>
          <EntryTools entry={entry} onClose={onClose} />
          <PromptUnderstanding entry={entry} />
          <EntryTakes entry={entry} />
          <EntryRecipe recipe={entry.recipe} />
          <Section title="File">
            <Facts facts={factsOf(entry)} />
          </Section>
        </>
      )}
    </Drawer>
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
