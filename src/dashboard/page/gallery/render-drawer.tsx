import { useOne } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { byteSize, playTime } from '../pieces/byte-size.ts';
import { Credits } from '../pieces/credits.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { EntryRecipe } from './entry-recipe.tsx';
import { EntryTakes } from './entry-takes.tsx';
import { EntryTools } from './entry-tools.tsx';
import { KINDS, type LibraryEntry, titleOf } from './gallery-records.ts';
import { PromptUnderstanding } from './prompt-understanding.tsx';

/** A render, played in place, with what it was made from. */
export function RenderDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { record, error } = useOne<LibraryEntry>('/library', id);
  return (
    <RecordDrawer
      {...{ label: 'Render', id, record, error, onClose }}
      title={(entry) => `${KINDS[entry.kind]}: ${titleOf(entry).slice(0, 200)}`}
      before={(entry) => (
        <>
          <div className="drawer-tools">
            <MediaView
              url={steadyUrls.of(entry.url)}
              contentType={entry.content_type}
              label={titleOf(entry).slice(0, 200)}
              poster={steadyUrls.of(entry.thumbnail_url)}
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
