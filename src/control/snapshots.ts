import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { SNAPSHOT_NAME_PATTERN, type SnapshotRecord } from '../engine/snapshots/snapshot-folder.ts';
import { clockSchema } from './clock.ts';
import { defineDelete, defineGet, definePost } from './control-operation.ts';
import { listSchema, toListResponse } from './resource.ts';

/** `created` is the machine's time, `clock` the emulator's time after a restore. */
const snapshotRecord = z.strictObject({
  name: z.string(),
  created: z.string(),
  clock: clockSchema,
  files: z.int(),
  bytes: z.int(),
});

const damagedSnapshot = z.strictObject({ name: z.string(), damaged: z.literal(true) });

function shapeOf({ name, created, now, frozen, files, bytes }: SnapshotRecord) {
  const clock = { now: isoTime(now), frozen };
  return { name, created: isoTime(created), clock, files, bytes };
}

const saveSnapshot = definePost('saveSnapshot', '/_emulator/snapshots', {
  summary: 'Saves the database, the files and the clock under a name.',
  skipsBarrier: true,
  body: z.object({
    name: z.string().regex(SNAPSHOT_NAME_PATTERN).describe('1 to 64 letters, digits, dots, dashes and underscores.'),
  }),
  status: 201,
  answer: snapshotRecord,
  async handle({ context, body }) {
    return shapeOf(await context.control.snapshots.save(body.name));
  },
});

const listSnapshots = defineGet('listSnapshots', '/_emulator/snapshots', {
  summary: 'Lists snapshots, newest first.',
  skipsBarrier: true,
  answer: listSchema(z.union([snapshotRecord, damagedSnapshot])),
  handle({ context }) {
    const { snapshots } = context.control;
    const damaged = snapshots.damaged().map((name) => ({ name, damaged: true as const }));
    return toListResponse([...snapshots.list().map(shapeOf), ...damaged]);
  },
});

const restoreSnapshot = definePost('restoreSnapshot', '/_emulator/snapshots/:name/restore', {
  summary: 'Restores a snapshot. New requests wait until it is restored.',
  skipsBarrier: true,
  answer: snapshotRecord,
  async handle(call) {
    call.context.control.tests.noteExclusive();
    return shapeOf(await call.context.control.snapshots.restore(call.param('name')));
  },
});

const removeSnapshot = defineDelete('removeSnapshot', '/_emulator/snapshots/:name', {
  summary: 'Removes a snapshot.',
  skipsBarrier: true,
  act: (call) => call.context.control.snapshots.remove(call.param('name')),
});

export const SNAPSHOT_OPERATIONS = [saveSnapshot, listSnapshots, restoreSnapshot, removeSnapshot] as const;
