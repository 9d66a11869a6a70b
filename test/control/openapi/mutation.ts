import { nested, type SeededValues, WRONG } from './seeded-values.ts';

const DEEP = 400;
const LONG = 3000;

/** A copy of a value with one to four random changes. */
export function mutated(value: unknown, values: SeededValues): unknown {
  let changed = value;
  for (let n = values.whole(1, 4); n > 0; n -= 1) changed = changedOnce(changed, values);
  return changed;
}

function changedOnce(value: unknown, values: SeededValues): unknown {
  if (typeof value !== 'object' || value === null || values.chance(0.05)) return odd(values);
  const keys = Object.keys(value);
  const key = keys.length > 0 ? values.pick(keys) : '0';
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const inner = copy[key];
  const roll = values.next();
  if (roll < 0.35 && typeof inner === 'object' && inner !== null) copy[key] = changedOnce(inner, values);
  else if (roll < 0.7) copy[key] = odd(values);
  else if (roll < 0.8) delete copy[key];
  else if (roll < 0.9) copy[values.pick(['__proto__x', 'limit', 'id', 'Prompt', '', 'a.b', 'ü'])] = odd(values);
  else copy[key] = [inner, inner];
  return copy;
}

function odd(values: SeededValues): unknown {
  const roll = values.next();
  if (roll < 0.01) return nested(values.whole(2, DEEP));
  if (roll < 0.02) return Array.from({ length: values.whole(1, LONG) }, () => values.pick(WRONG));
  return values.pick(WRONG);
}

/** A text that is cut, lacks a character, or contains an additional character or a repeated part. */
export function garbled(text: string, values: SeededValues): string {
  const at = values.whole(0, text.length);
  const roll = values.next();
  if (roll < 0.3) return text.slice(0, at);
  if (roll < 0.6) return text.slice(0, at) + text.slice(at + 1);
  if (roll < 0.8)
    return text.slice(0, at) + values.pick(['"', '{', ',', '\\', '%', '/', '?', '#', '&', ';']) + text.slice(at);
  return text.slice(0, at) + text.slice(values.whole(0, at));
}
