import { z } from 'zod';
import { findDeletedRecord } from '../base/database/list-queries.ts';
import type { Reader } from '../base/database/reader.ts';
import { invalidRequestError, quoted } from '../base/errors.ts';
import { findAccount } from '../engine/accounts/account-store.ts';
import { fixtureFileSchema } from '../service/fixtures/fixture-schema.ts';
import { fixtureIdsNewerThan } from '../service/fixtures/fixture-store.ts';
import type { FixtureWithUses } from '../service/fixtures/fixtures.ts';
import { defineDelete, defineGet, definePost } from './control-operation.ts';
import {
  accountPageQuerySchema,
  accountQuerySchema,
  cursorPosition,
  DEFAULT_PAGE_LIMIT,
  listSchema,
  toListResponse,
} from './resource.ts';

const fixtureRecord = fixtureFileSchema.shape.fixtures.element.safeExtend({
  id: z.string(),
  source: z.string(),
  uses: z.int(),
  remaining: z.int().nullable(),
});

const addFixtures = definePost('addFixtures', '/_emulator/fixtures', {
  summary: 'Adds scripted answers before the existing ones. Send media as data URLs.',
  body: fixtureFileSchema,
  status: 201,
  answer: listSchema(fixtureRecord),
  async handle({ context, body }) {
    const added = await context.failures.fixtures.add(body.fixtures, (tx, id, param) => {
      if (findAccount(tx, id)) return;
      const given = quoted(id);
      throw invalidRequestError(
        param,
        `${param} must be the id of an account, not ${given}. GET /_emulator/accounts lists them.`,
      );
    });
    return toListResponse(added.map(fixtureView));
  },
});

const listAllFixtures = defineGet('listFixtures', '/_emulator/fixtures', {
  summary: 'Lists scripted answers in the order in which they are tried, and the errors in their files.',
  query: accountPageQuerySchema,
  answer: listSchema(fixtureRecord).extend({
    broken: z.array(
      z.strictObject({
        file: z.string(),
        line: z.int().nullable(),
        field: z.string().nullable(),
        message: z.string(),
      }),
    ),
  }),
  async handle({ context, query }) {
    const { limit = DEFAULT_PAGE_LIMIT, account_id: accountId, after } = query;
    const { fixtures, faults } = context.failures.fixtures.list();
    const seen = fixtures.filter((each) => !accountId || each.accountId === accountId);
    const placeOf = (id: string) => {
      const index = seen.findIndex((fixture) => fixture.id === id);
      return index === -1 ? lastBefore(context.database, seen, { id, accountId }) : index;
    };
    const from = after === undefined ? 0 : cursorPosition(after, placeOf) + 1;
    const views = seen.slice(from, from + limit).map(fixtureView);
    return { ...toListResponse(views), broken: faults.map((fault) => ({ ...fault })) };
  },
});

const removeFixtures = defineDelete('removeFixtures', '/_emulator/fixtures', {
  summary: 'Removes all scripted answers that were created over HTTP, or those of one account.',
  query: accountQuerySchema,
  act: ({ context, query }) => context.failures.fixtures.remove(query.account_id),
});

/**
 * For a deleted answer, returns the index of the last answer that was listed before it, or -1. Undefined if no deletion
 * is on record.
 */
function lastBefore(
  db: Reader,
  fixtures: readonly FixtureWithUses[],
  { id, accountId }: { id: string; accountId: string | undefined },
): number | undefined {
  const gone = findDeletedRecord(db, id);
  if (!gone || (accountId && gone.accountId !== accountId)) return undefined;
  const before = fixtureIdsNewerThan(db, gone.position);
  return fixtures.findLastIndex((each) => before.has(each.id));
}

function fixtureView({ id, source, written, times, uses }: FixtureWithUses) {
  const remaining = times === undefined ? null : Math.max(0, times - uses);
  return { id, source, ...written, uses, remaining };
}

export const FIXTURE_OPERATIONS = [addFixtures, listAllFixtures, removeFixtures] as const;
