import { it } from 'vitest';
import { expectGoodJoins } from './join-check.ts';

const STYLES: [name: string, style: string][] = [
  ['jazz', 'smooth jazz, relaxed'],
  ['pads', 'ambient, choir'],
];

it.each(STYLES)('joins bars no worse than an encoder that sees them joined: %s [R051]', expectGoodJoins);
