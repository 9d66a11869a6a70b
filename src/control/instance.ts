import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { VERSION } from '../base/package/version.ts';
import { tokenCookie } from '../service/http/auth.ts';
import type { Context } from '../service/http/context.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { Broadcast, NoContent } from '../service/http/send.ts';
import { checkInvariants, invariantReport } from './invariants.ts';

const healthRecord = z.strictObject({
  status: z.string(),
  version: z.string(),
  started_at: z.string(),
  clock: z.string(),
  /** How many rules of the contract this emulator breaks on purpose. */
  lies: z.int(),
});

function healthOf({ clock, startedAt, lies }: Context) {
  return {
    status: 'ok',
    version: VERSION,
    started_at: isoTime(startedAt),
    clock: isoTime(clock.now()),
    lies: lies.count,
  };
}

export const getHealth = operation({
  name: 'getHealth',
  method: 'GET',
  path: '/_emulator/health',
  summary: 'Whether the emulator is there.',
  access: 'local',
  ungated: true,
  answer: healthRecord,
  handle: ({ context }) => healthOf(context),
});

export const getReady = operation({
  name: 'getReady',
  method: 'GET',
  path: '/_emulator/ready',
  summary: 'Whether it is migrated and seeded; it listens only then.',
  access: 'local',
  ungated: true,
  answer: healthRecord,
  handle: ({ context }) => healthOf(context),
});

export const getInstance = operation({
  name: 'getInstance',
  method: 'GET',
  path: '/_emulator/instance',
  summary: 'Which emulator this is: its version and where it keeps what it keeps.',
  access: 'local',
  ungated: true,
  answer: z.strictObject({
    version: z.string(),
    data_dir: z.string().nullable().describe('absolute; null where nothing is kept.'),
  }),
  handle: ({ context: { config } }) => ({
    version: VERSION,
    data_dir: config.ephemeral ? null : config.dataDir,
  }),
});

export const resetEmulator = operation({
  name: 'resetEmulator',
  method: 'POST',
  path: '/_emulator/reset',
  summary: 'Back to the seeded state; snapshots stay.',
  access: 'local',
  ungated: true,
  status: 204,
  answer: 'nothing',
  async handle({ context }) {
    context.units.noteExclusive();
    await context.lies.onReplace();
    await context.reset();
    return new NoContent();
  },
});

export const getInvariants = operation({
  name: 'getInvariants',
  method: 'GET',
  path: '/_emulator/invariants',
  summary: 'Every invariant of ledger, jobs and deliveries, checked now.',
  access: 'local',
  answer: invariantReport,
  handle: ({ context, gone }) => checkInvariants(context, gone),
});

export const streamLive = operation({
  name: 'streamLive',
  method: 'GET',
  path: '/_emulator/live',
  summary: 'What happens, as server-sent events: at most ten messages a second.',
  access: 'local',
  ungated: true,
  query: z.object({
    after: optional(z.string().max(100)).describe('the id of the last message that came; Last-Event-ID does the same.'),
  }),
  answer: 'text/event-stream',
  handle(call) {
    const { live } = call.context;
    const after = call.requestHeader('last-event-id') ?? call.query.after;
    return new Broadcast((sink) => live.join(sink, after));
  },
});

export const openSession = operation({
  name: 'openSession',
  method: 'POST',
  path: '/_emulator/session',
  summary: 'Keeps the control token of this request in a cookie, for a browser.',
  access: 'local',
  ungated: true,
  status: 204,
  answer: 'nothing',
  handle(call) {
    const token = /^Bearer (.+)$/.exec(call.requestHeader('authorization') ?? '')?.[1];
    if (token !== undefined) call.header('set-cookie', tokenCookie(token, call.baseUrl));
    return new NoContent();
  },
});
