import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useOne } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { AudioPlayer } from '../pieces/audio-player.tsx';
import { Button } from '../pieces/button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { DeleteRecord } from './delete-record.tsx';
import { ElementForm } from './element-form.tsx';
import { NEW_ELEMENT } from './elements-tab.tsx';
import type { SavedElement } from './gallery-records.ts';

/** A saved character or thing, or the form for a new one. */
export function ElementDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const [isEdited, setEdited] = useState(false);
  const { record, error } = useOne<SavedElement>('/elements', id, { enabled: id !== NEW_ELEMENT });
  if (id === NEW_ELEMENT) {
    return (
      <Drawer label="Element" title="New element" onClose={onClose}>
        <ElementForm element={undefined} onDone={onClose} />
      </Drawer>
    );
  }
  return (
    <RecordDrawer
      {...{ label: 'Element', id, record, error, onClose }}
      title={({ handle }) => `@${handle}`}
      tools={({ handle }) => (
        <>
          <OfService>
            <Button icon={<Pencil aria-hidden />} onClick={() => setEdited(!isEdited)}>
              {isEdited ? 'Leave as it is' : 'Change'}
            </Button>
          </OfService>
          <DeleteRecord
            resource="elements"
            id={id}
            onClose={onClose}
            ask={{ title: `Delete @${handle}?`, note: 'What was rendered of it stays.' }}
          />
        </>
      )}
      before={(element) => (
        <>
          <Looks {...element} />
          {isEdited && <ElementForm element={element} onDone={() => setEdited(false)} />}
        </>
      )}
      facts={factsOf}
    />
  );
}

function Looks({ name, picture_url, voice_url }: SavedElement) {
  return (
    <div className="drawer-tools">
      {picture_url && <img className="media" src={steadyUrls.of(picture_url)} alt={name} />}
      {voice_url && <AudioPlayer source={steadyUrls.of(voice_url)} label={`Voice of ${name}`} />}
    </div>
  );
}

function factsOf({ id, name, kind, account_id, created, used_by }: SavedElement) {
  return {
    Name: name,
    Kind: kind,
    Element: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Saved: <RelativeTime at={created} />,
    'Clips that show it': <Ids ids={used_by?.library ?? []} />,
    'Flows that name it': <Ids ids={used_by?.flows ?? []} />,
  };
}

function Ids({ ids }: { ids: readonly string[] }) {
  return ids.length === 0 ? 'None' : ids.map((id) => <IdChip key={id} id={id} />);
}
