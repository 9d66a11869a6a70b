import { Link } from 'wouter';
import { placeOf } from '../data/paths.ts';
import { CopyButton } from './copy-button.tsx';

/** An id begins with what is its owner's, and ends with its number. */
const LONG = /^([a-z]+_.{4}).{4,}(.{6})$/;

/** Enough of an id to tell two apart. */
export function shortId(id: string): string {
  const [, whose, which] = LONG.exec(id) ?? [];
  return whose === undefined ? id : `${whose}…${which}`;
}

/** An id, short: it leads to what it names, and the button beside it copies it. */
export function IdChip({ id }: { id: string }) {
  const place = placeOf(id);
  return (
    <span className="mono">
      {place ? (
        <Link className="named" href={place} title={id}>
          {shortId(id)}
        </Link>
      ) : (
        <span title={id}>{shortId(id)}</span>
      )}
      <CopyButton text={id} label={id} />
    </span>
  );
}
