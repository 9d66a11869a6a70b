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
])('takes %s for a misspelling of %s', (name, meant) => {
  expect(closestName(name, KNOWN)).toBe(meant);
});

it.each(['page', 'user', 'x', '', 'getAccount', 'noSuchOp', 'colour'])('finds no name near to %j', (name) => {
  expect(closestName(name, KNOWN)).toBeUndefined();
});
