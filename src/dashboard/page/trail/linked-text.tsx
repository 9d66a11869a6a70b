import { Fragment } from 'react';
import { Link } from 'wouter';
import { placeOf } from '../data/paths.ts';
import { shortId } from '../pieces/ids.tsx';
import { TimeOfDay } from '../pieces/values.tsx';

const NAMES = /\b([a-z]{2,8}_[0-9a-z]{16,32})\b|\b(\d{4}-\d\d-\d\dT[\d:.]+Z)/g;

/** A sentence of the emulator: ids in it lead to what they name, times are short. */
export function LinkedText({ text }: { text: string }) {
  const found = [...text.matchAll(NAMES)];
  const ends = found.map(({ index, 0: name }) => index + name.length);
  return (
    <>
      {found.map(({ index, 1: id, 2: time }, position) => (
        <Fragment key={index}>
          {text.slice(ends[position - 1] ?? 0, index)}
          {time ? <TimeOfDay at={Date.parse(time) / 1000} /> : <Named id={id ?? ''} />}
        </Fragment>
      ))}
      {text.slice(ends.at(-1) ?? 0)}
    </>
  );
}

function Named({ id }: { id: string }) {
  const place = placeOf(id);
  if (!place) return <code title={id}>{shortId(id)}</code>;
  return (
    <Link className="named mono" href={place} title={id}>
      {shortId(id)}
    </Link>
  );
}
