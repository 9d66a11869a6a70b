import type { Command } from 'commander';
import type { WireAnswer } from '../client/call-operation.ts';
import { type ControlConnection, ControlError } from '../client/control-connection.ts';
import { stopSignal } from './process-end.ts';
import { nobodyThere, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface ListenFlags extends RemoteFlags {
  account?: string;
}

interface Batch {
  notices: { kind: string; id: string; account_id: string | null }[];
  left_out: { notices: number };
}

/** `svc-emulator listen`: deliveries as they happen, until a signal comes or the emulator ends. */
export function listenCommand(): Command {
  return remoteCommand('listen', 'print webhook deliveries as they happen, until Ctrl-C')
    .option('--account <id>', 'those of one account only')
    .action(listen);
}

async function listen(flags: ListenFlags): Promise<void> {
  const stopped = new AbortController();
  void stopSignal().then(() => stopped.abort());
  // The reader is gone.
  process.stdout.once('error', () => stopped.abort());
  await withEmulator(flags, async (control) => {
    try {
      await follow(control, flags, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) throw error;
    }
  });
}

/** Comes back once after a connection that was lost: a moment later the emulator is there, or gone. */
async function follow(control: ControlConnection, flags: ListenFlags, signal: AbortSignal) {
  let after: string | undefined;
  for (;;) {
    for await (const { id, event, data } of open(control, after, signal)) {
      if (event === 'hello' && after === undefined) {
        process.stderr.write(`Listening to the deliveries of ${control.url}; Ctrl-C ends it.\n`);
      }
      after = id;
      if (event === 'batch') await printBatch(control, flags, JSON.parse(data));
    }
    if (signal.aborted) return;
  }
}

async function* open(control: ControlConnection, after: string | undefined, signal: AbortSignal) {
  try {
    yield* control.stream('/live', { after }, signal);
  } catch (error) {
    if (error instanceof ControlError || after === undefined || signal.aborted) throw error;
    await control.call('getHealth').catch(() => {
      throw nobodyThere(control.url);
    });
  }
}

async function printBatch(control: ControlConnection, flags: ListenFlags, batch: Batch): Promise<void> {
  for (const { kind, id, account_id } of batch.notices) {
    if (kind !== 'delivery' || (flags.account ?? account_id) !== account_id) continue;
    const delivery = await control.call('showDelivery', { id }).catch(forgotten);
    if (!delivery) continue;
    process.stdout.write(`${flags.json ? JSON.stringify(delivery) : lineOf(delivery)}\n`);
  }
  const { notices: lost } = batch.left_out;
  if (lost > 0) process.stderr.write(`${lost} more happened than can be listed at once.\n`);
}

/** A reset came in between. */
function forgotten(error: unknown): undefined {
  if (error instanceof ControlError && error.status === 404) return undefined;
  throw error;
}

function lineOf(delivery: WireAnswer<'showDelivery'>): string {
  const { id, type, url, attempted_at, duration_ms, response_status, error } = delivery;
  const time = attempted_at?.slice(11, 19) ?? 'not sent';
  const answer = response_status === null ? (error ?? delivery.status) : response_status;
  const took = duration_ms === null ? '' : ` in ${duration_ms} ms`;
  const notes = [
    delivery.redelivery_of === null ? '' : `again after ${delivery.redelivery_of}`,
    delivery.fault === null ? '' : `fault: ${delivery.fault}`,
  ].filter(Boolean);
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return `${time}  ${type}  ${url}  ${answer}${took}  ${id}${note}`;
}
