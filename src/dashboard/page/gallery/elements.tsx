import { AudioLines, Pencil, Plus, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useAccounts } from '../data/account-and-clock.ts';
import { callControl } from '../data/call-api.ts';
import { deleteRecord, useOne } from '../data/queries.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { agoColumn, type Column, column, softColumn } from '../pieces/data-list.tsx';
import { Drawer, type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { FieldsForm } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { AudioPlayer } from '../pieces/media-view.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { Picture, Shot } from '../pieces/picture.tsx';
import { type ListSpec, type OpenRow, RecordList, useRecords } from '../pieces/record-list.tsx';
import { IdChip, RelativeTime } from '../pieces/values.tsx';
import { DeleteRecord, type SavedElement } from './gallery-records.tsx';

/** The address of the form for a new element. */
const NEW_ELEMENT = 'el_new';

const COLUMNS: readonly Column<SavedElement>[] = [
  column('Picture', '32px', pictureCell, { unseen: true }),
  column('Handle', 'minmax(120px, 1fr)', ({ handle }) => <strong>@{handle}</strong>, { line: 1, grow: true }),
  column('Name', 'minmax(120px, 2fr)', ({ name }) => name, { line: 2, grow: true }),
  softColumn('Kind', '96px', ({ kind }) => kind, { line: 2 }),
  softColumn('Voice', '48px', ({ voice_url }) => voice_url && <AudioLines role="img" aria-label="has a voice" />),
  agoColumn('Saved', ({ created }) => created, { line: 1 }),
];

function pictureCell({ picture_url: url }: SavedElement) {
  return <span className="thumb centred soft">{url ? <Shot url={url} /> : <UserRound aria-hidden />}</span>;
}

const LIST: ListSpec<SavedElement> = {
  ...{ label: 'Elements', search: 'Search elements', columns: COLUMNS, rowHeight: 44 },
  none: {
    ...{ icon: UserRound, title: 'No element is saved' },
    description: 'Save a character or a thing, and prompts of clips can name it: @mara opens the door.',
  },
};

/** Characters and objects that prompts can reference. */
export function ElementsTab(opening: OpenRow) {
  const found = useRecords<SavedElement>('/elements');
  const tools = <Button isLiveOnly text="New element" icon={Plus} onClick={() => opening.onOpen(NEW_ELEMENT)} />;
  return <RecordList {...LIST} {...{ found, tools }} {...opening} />;
}

/** A saved character or object, or the form for a new one. */
export function ElementDrawer({ id, onClose }: DrawerOf) {
  const [isEdited, setEdited] = useState(false);
  const { record, error } = useOne<SavedElement>('/elements', id, { enabled: id !== NEW_ELEMENT });
  if (id === NEW_ELEMENT) {
    return (
      <Drawer label="Element" title="New element" onClose={onClose}>
        <ElementForm onDone={onClose} />
      </Drawer>
    );
  }
  return (
    <RecordDrawer
      {...{ label: 'Element', id, record, error, onClose }}
      title={({ handle }) => `@${handle}`}
      tools={({ handle }) => (
        <>
          <Button
            isLiveOnly
            text={isEdited ? 'Leave as it is' : 'Change'}
            icon={Pencil}
            onClick={() => setEdited(!isEdited)}
          />
          <DeleteRecord
            act={() => deleteRecord('elements', id)}
            onClose={onClose}
            confirm={{ title: `Delete @${handle}?`, note: 'What was rendered of it stays.' }}
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
      {picture_url && <Picture className="media" src={stableUrls.of(picture_url)} alt={name} />}
      {voice_url && <AudioPlayer source={stableUrls.of(voice_url)} label={`Voice of ${name}`} />}
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

const FILES: readonly FieldSpec[] = [
  { name: 'image', label: 'Picture', type: 'file', accept: 'image/*', note: 'Clips draw it from this.' },
  { name: 'voice', label: 'Voice', type: 'file', accept: 'audio/*', note: 'A WAV or MP3 in which it speaks.' },
];

function fieldsOf({ handle = '', name = '', kind = 'character' }: Partial<SavedElement>): readonly FieldSpec[] {
  const text = 'text' as const;
  const how = 'Prompts name it by this: @mara. Letters, digits, dashes and underscores.';
  return [
    { name: 'handle', label: 'Handle', type: text, value: handle, note: how },
    { name: 'name', label: 'Name', type: text, value: name, note: 'What it is called.' },
    { name: 'kind', label: 'Kind', type: text, value: kind, note: 'A word such as character or object.' },
    ...FILES,
  ];
}

/** Saves an element, or changes one; a file that is not chosen stays as it was. */
function ElementForm({ element, onDone }: { element?: SavedElement; onDone: () => void }) {
  const { account } = useAccounts();
  const save = ({ image, voice, ...texts }: Draft) => {
    const order = { ...texts, ...(image && { image }), ...(voice && { voice }) };
    if (element) return callControl('PATCH', `/elements/${element.id}`, order);
    return callControl('POST', '/elements', { account_id: account?.id, ...order });
  };
  const action = element ? 'Save' : `Save for ${account?.name ?? 'this account'}`;
  return <FieldsForm fields={fieldsOf(element ?? {})} {...{ action, send: save, onSuccess: onDone }} />;
}
