import { CONTENT } from './content.ts';
import { FORM } from './form.ts';
import type { Actor, Actors } from './lie.ts';
import { MONEY } from './money.ts';
import { WORK } from './work.ts';

/** How each lie acts on answers and events, by name. */
export const ACTORS: Actors = new Map<string, Actor>(Object.entries({ ...MONEY, ...WORK, ...CONTENT, ...FORM }));
