import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteRecord, useRecord } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { AudioPlayer } from '../pieces/audio-player.tsx';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { sayError } from '../pieces/toast.tsx';
import { ElementForm } from './element-form.tsx';
import { NEW_ELEMENT } from './elements-tab.tsx';
import type { SavedElement } from './gallery-records.ts';

/** A saved character or thing, or the form for a new one. */
export function ElementDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const isNew = id === NEW_ELEMENT;
  const { data, error } = useRecord<SavedElement>(`/elements/${id}`, { enabled: !isNew });
  const element = data?.id === id ? data : undefined;
  return (
    <Drawer label="Element" title={isNew ? 'New element' : element ? `@${element.handle}` : id} onClose={onClose}>
      <ErrorNotice error={error} />
      {isNew && <ElementForm element={undefined} onDone={onClose} />}
      {element && !error && <ElementContents element={element} onClose={onClose} />}
    </Drawer>
  );
}

function ElementContents({ element, onClose }: { element: SavedElement; onClose: () => void }) {
  const { id, handle, name, kind, account_id, picture_url, voice_url, created } = element;
  const [isEdited, setEdited] = useState(false);
  const facts = {
    Name: name,
    Kind: kind,
    Element: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Saved: <RelativeTime at={created} />,
  };
  return (
    <>
      {picture_url && (
        <div className="entry-media">
          <img className="media" src={steadyUrls.of(picture_url)} alt={name} />
        </div>
      )}
      {voice_url && (
        <div className="entry-media">
          <AudioPlayer source={steadyUrls.of(voice_url)} label={`Voice of ${name}`} />
        </div>
      )}
      <div className="drawer-tools">
        <OfService>
          <Button icon={<Pencil aria-hidden />} onClick={() => setEdited(!isEdited)}>
            {isEdited ? 'Leave as it is' : 'Change'}
          </Button>
        </OfService>
        <RemoveElement id={id} handle={handle} onDone={onClose} />
      </div>
      {isEdited ? (
        <ElementForm element={element} onDone={() => setEdited(false)} />
      ) : (
        <Section title="Facts">
          <Facts facts={facts} />
        </Section>
      )}
      <UsedBy title="Clips that show it" ids={element.used_by?.library ?? []} />
      <UsedBy title="Flows that name it" ids={element.used_by?.flows ?? []} />
    </>
  );
}

function UsedBy({ title, ids }: { title: string; ids: readonly string[] }) {
  return (
    <Section title={title}>
      {ids.length === 0 && <p className="soft">None</p>}
      <p className="used-by">
        {ids.map((id) => (
          <IdChip key={id} id={id} />
        ))}
      </p>
    </Section>
  );
}

interface RemoveElementProps {
  id: string;
  handle: string;
  onDone: () => void;
}

function RemoveElement({ id, handle, onDone }: RemoveElementProps) {
  const remove = () => {
    onDone();
    deleteRecord('elements', id).catch(sayError);
  };
  return (
    <Confirm
      trigger={<Button look="quiet" icon={<Trash2 aria-hidden />} aria-label="Delete" />}
      title={`Delete @${handle}?`}
      note="What was rendered of it stays."
      action="Delete"
      onConfirm={remove}
    />
  );
}
