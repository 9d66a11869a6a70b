import { Link } from 'wouter';
import { placeOf } from '../data/paths.ts';
import { CopyButton } from './copy-button.tsx';

/** How much of an id is shown: enough to tell two apart. */
const SHOWN = 10;

/** Ids of the ledger begin with what is their account's: their ends differ. */
const LIKE_BEGUN = /^(le_).*(.{8})$/;

export function shortId(id: string): string {
  const entry = LIKE_BEGUN.exec(id);
  if (entry) return `${entry[1]}…${entry[2]}`;
  const body = id.slice(id.indexOf('_') + 1);
  return body.length <= SHOWN ? id : `${id.slice(0, id.length - body.length + SHOWN)}…`;
}

/** An id, short: it leads to what it names, and the button beside it copies it. */
export function IdChip({ id }: { id: string }) {
  const place = placeOf(id);
  return (
    <span className="chip">
      {place ? (
        <Link className="chip-name" href={place} title={id}>
          {shortId(id)}
        </Link>
      ) : (
        <span title={id}>{shortId(id)}</span>
      )}
      <CopyButton text={id} label={id} />
    </span>
  );
}
