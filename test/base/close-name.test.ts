import { expect, it } from 'vitest';
import { closestName } from '../../src/base/text.ts';

const KNOWN = ['port', 'path', 'url', 'text', 'account_id', 'listAccounts', 'getClock', 'createAccount', 'search'];

it.each([
  ['prot', 'port'],
  ['PORT', 'port'],
  ['accountId', 'account_id'],
  ['acount-id', 'account_id'],
  ['account', 'account_id'],
  ['lsitAcounts', 'listAccounts'],
  ['getClok', 'getClock'],
  ['serch', 'search'],
])('treats %s as a misspelling of %s', (name, meant) => {
  expect(closestName(name, KNOWN)).toBe(meant);
});

it.each(['page', 'user', 'x', '', 'getAccount', 'noSuchOp', 'colour'])(
  'suggests no name for %j, which resembles none',
  (name) => {
    expect(closestName(name, KNOWN)).toBeUndefined();
  },
);
