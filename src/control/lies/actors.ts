import { CONTENT } from './content.ts';
import { FORM } from './form.ts';
import { LIBERTY_ACTORS } from './liberties.ts';
import type { Actor, Actors } from './lie.ts';
import { MONEY } from './money.ts';
import { SECURITY } from './security.ts';
import { WORK } from './work.ts';

/** How each lie and each liberty acts on answers and events, by name. */
export const ACTORS: Actors = new Map<string, Actor>(
  Object.entries({ ...MONEY, ...SECURITY, ...WORK, ...CONTENT, ...FORM, ...LIBERTY_ACTORS }),
);
