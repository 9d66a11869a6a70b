import { KeyRound } from 'lucide-react';
import { Link } from 'wouter';
import type { KeyRecord } from '../../../control/keys.ts';
import { useAccounts, WELL_KNOWN_KEY } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { ErrorNotice, Notice, Section } from '../pieces/page-parts.tsx';
import { Badge, Code, RelativeTime, shortId } from '../pieces/values.tsx';

/** A key that was just made: its text is shown this once. */
export interface MadeKey {
  accountId: string;
  text: string;
}

interface KeyListProps {
  account: Account;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  marked: string | undefined;
}

/** The keys of an account; the text of one is there only when it was just made. */
export function KeyList({ account: { id }, made, onMade, marked }: KeyListProps) {
  const { data: keys = [], error } = useList<KeyRecord>(`/accounts/${id}/keys`);
  const { first } = useAccounts();
  const seeded = first?.id === id ? keys.at(-1)?.id : undefined;
  const tools = (
    <ActionButton
      text="New key"
      icon={KeyRound}
      act={() => callControl<{ api_key: string }>('POST', `/accounts/${id}/keys`)}
      onSuccess={({ api_key: text }) => onMade({ accountId: id, text })}
    />
  );
  return (
    <Section title="Keys" tools={tools}>
      <ErrorNotice error={error} />
      {made?.accountId === id && <NewKey text={made.text} />}
      <ul className="lines framed">
        {keys.map((key) => (
          <KeyRow key={key.id} record={key} isMarked={key.id === marked} isSeeded={key.id === seeded} />
        ))}
      </ul>
    </Section>
  );
}

function NewKey({ text }: { text: string }) {
  return (
    <div className="drawer-tools stack">
      <Notice tone="good">This key is shown once. Only its hash is kept: copy it now.</Notice>
      <Code text={text} label="The new key" />
    </div>
  );
}

interface KeyRowProps {
  record: KeyRecord;
  isMarked: boolean;
  /** The one that every fresh emulator knows. */
  isSeeded: boolean;
}

const REVOKE = {
  text: 'Revoke',
  variant: 'quiet',
  toast: ['The key is revoked', 'It is answered 401 from now on.'],
  confirm: { title: 'Revoke this key?', note: 'It is answered 401 at once, and for good.' },
} as const;

function KeyRow({ record: { id, created, revoked }, isMarked, isSeeded }: KeyRowProps) {
  return (
    <li className="key-row line" data-marked={isMarked ? '' : undefined}>
      <Link className="named mono cut" href={`${at.live()}?q=${id}`} title={`Requests with ${id}`}>
        {shortId(id)}
      </Link>
      <span className="soft">{isSeeded ? <code>{WELL_KNOWN_KEY}</code> : <RelativeTime at={created} />}</span>
      {revoked === null ? (
        <ActionButton {...REVOKE} act={() => callControl('DELETE', `/keys/${id}`)} />
      ) : (
        <Badge tone="plain">revoked</Badge>
      )}
    </li>
  );
}
