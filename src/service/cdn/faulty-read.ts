import type { ServerResponse } from 'node:http';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import { applyBeforeWork, DROPPED, type FaultyRequest } from '../../engine/faults/apply.ts';
import type { FaultTarget } from '../../engine/faults/fault-rule.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { voidedError } from '../../engine/storage/cdn-url.ts';
import { resetConnection } from '../http/faulty-call.ts';
import { requestContextOf, type ServiceRequest, watchGone } from '../http/request.ts';
import { sendFaultyBytes } from './faulty-bytes.ts';
import { type FoundFile, rangeOf, writeHeaders, writeRange } from './file-headers.ts';
import type { Reading } from './reading.ts';

/** A read that fault rules change, and how. */
export interface FaultyRead {
  faulty: FaultyRequest;
  appliedFault: AppliedFault;
}

/**
 * Has holds and fault rules act on a read after its validation; undefined where none applies. Throws `url_expired` where
 * its URL is to have expired; answers `DROPPED` when its connection is gone.
 */
export async function applyToRead(
  reading: Reading,
  request: ServiceRequest,
  { found, path, query }: FoundFile,
): Promise<FaultyRead | typeof DROPPED | undefined> {
  const { faults, served, response } = reading;
  faults.holds.timers.started(found.accountId, path);
  const target = targetOf(found.accountId, request.method, path);
  if (!faults.looksAt(target)) return undefined;
  const faulty = faultyRead(reading, target);
  const appliedFault = await applyBeforeWork(faults, faulty);
  if (appliedFault === DROPPED) return DROPPED;
  if (appliedFault?.cdn?.expired) {
    await served.expire(path, query);
    throw voidedError(query);
  }
  if (appliedFault?.answer === 'lost') {
    resetConnection(response);
    return DROPPED;
  }
  return appliedFault && { faulty, appliedFault };
}

/** Sends a file as its rule corrupts it; where a hold catches the answer, it waits with half of the body sent. */
export async function sendFaultyFile(
  reading: Reading,
  found: ServedFile,
  read: FaultyRead & { request: ServiceRequest },
): Promise<void> {
  const { served } = reading;
  const handle = await served.open(found.file);
  if (!handle) return served.again(found.file, () => sendFaultyFile(reading, found, read));
  const { cdn: fault = {}, hold } = read.appliedFault;
  try {
    const { range, part } = rangeOf(read.request, found);
    const response = reading.begin();
    writeHeaders(response, fault.content_type === undefined ? found : { ...found, contentType: fault.content_type });
    if (range) writeRange(response, range, found.bytes);
    response.setHeader('content-length', fault.wrong_length ?? part.end - part.start + 1);
    const halfway = hold === undefined ? undefined : () => released(reading, read.faulty, hold);
    await sendFaultyBytes(handle, response, { fault, part, size: found.bytes, pause: read.faulty.wait, halfway });
  } finally {
    await handle.close();
  }
}

/** Waits for a hold; returns whether the rest is to be sent. A hold that is released with an effect cuts the connection. */
async function released(
  { faults, response }: Reading,
  { message, gone }: FaultyRequest,
  hold: string,
): Promise<boolean> {
  const { effect } = message ? await faults.holds.hold(hold, message, gone) : {};
  if (effect) response.destroy();
  return !response.destroyed;
}

function targetOf(accountId: string, method: string, path: string): FaultTarget {
  const asked = { text: '', takes: 1, announces: false, streamed: false, directives: {} };
  return { surface: 'cdn', path, method, accountId, ...asked };
}

function faultyRead(
  { faults, response }: { faults: Reading['faults']; response: ServerResponse },
  target: FaultTarget,
) {
  const { accountId, method, path } = target;
  const { signal: gone } = watchGone(response);
  return {
    target,
    gone,
    message: { accountId, what: `${method} ${path}` },
    wait: (milliseconds: number) => faults.holds.waits.wait(milliseconds, gone),
    reset: () => resetConnection(response),
    noteRule(id: string) {
      requestContextOf(response).facts.fault = id;
    },
  };
}
