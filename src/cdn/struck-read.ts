import type { ServerResponse } from 'node:http';
import type { AppliedFault } from '../faults/struck.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { DROPPED, resetConnection, strikeRequest } from '../http/strike-request.ts';
import { watchGone } from '../http/watch-gone.ts';
import type { ServedFile } from '../library/served-files.ts';
import { voidedError } from '../storage/signed-url.ts';
import { sendBroken } from './broken-body.ts';
import { readRange } from './byte-range.ts';
import { entityTag, rangeHeader } from './conditions.ts';
import { writeHeaders, writeRange } from './file-headers.ts';
import type { Reading } from './reading.ts';

interface Read {
  path: string;
  query: string;
  found: ServedFile;
  request: ServiceRequest;
}

/**
 * Has holds and fault rules act on a read that is good in every other way. Throws `url_expired` where its URL is to be
 * good no more; answers `DROPPED` when its connection is gone.
 */
export async function strikeRead(reading: Reading, read: Read): Promise<AppliedFault | typeof DROPPED | undefined> {
  const { faults, served, response } = reading;
  const { path, query, found, request } = read;
  const { accountId } = found;
  const { method } = request;
  const { holds } = faults;
  holds.timers.started(accountId, path);
  const target = {
    surface: 'cdn' as const,
    path,
    method,
    accountId,
    text: '',
    takes: 1,
    announces: false,
    streamed: false,
    directives: {},
  };
  if (!faults.looksAt(target)) return undefined;
  const caught = holds.catch(target);
  const about = { accountId, what: `${method} ${path}` };
  const released = caught?.request && (await holds.hold(caught.request, about, watchGone(response).signal));
  const effect = released ? released.effect : undefined;
  const appliedFault = await strikeRequest(faults, { target, response, effect });
  if (appliedFault === DROPPED) return DROPPED;
  if (appliedFault?.cdn?.expired) {
    await served.expire(path, query);
    throw voidedError(query);
  }
  if (appliedFault?.answer === 'lost') {
    resetConnection(response);
    return DROPPED;
  }
  return caught?.answer === undefined ? appliedFault : { rules: [], ...appliedFault, hold: caught.answer };
}

/** Sends a file as its rule breaks it; where a hold catches the answer, with half of it sent. */
export async function sendStruck(reading: Reading, found: ServedFile, struckRead: StruckRead): Promise<void> {
  const { served } = reading;
  const handle = await served.open(found.file);
  if (!handle) return served.again(found.file, () => sendStruck(reading, found, struckRead));
  try {
    await sendOpened(reading, { ...struckRead, found, handle });
  } finally {
    await handle.close();
  }
}

interface StruckRead {
  request: ServiceRequest;
  appliedFault: AppliedFault;
}

interface Opened extends StruckRead {
  found: ServedFile;
  handle: NonNullable<Awaited<ReturnType<Reading['served']['open']>>>;
}

async function sendOpened(reading: Reading, { request, appliedFault, found, handle }: Opened): Promise<void> {
  const { holds } = reading.faults;
  const { cdn: fault = {}, hold } = appliedFault;
  const tag = entityTag(found.file);
  const range = readRange(rangeHeader(request.headers, tag), found.bytes);
  const part = range ?? { start: 0, end: found.bytes - 1 };
  const response: ServerResponse = reading.begin();
  const { signal: gone } = watchGone(response);
  writeHeaders(response, fault.content_type === undefined ? found : { ...found, contentType: fault.content_type }, tag);
  if (range) writeRange(response, range, found.bytes);
  response.setHeader('content-length', fault.wrong_length ?? part.end - part.start + 1);
  const about = { accountId: found.accountId, what: `${request.method} ${request.originalUrl.split('?')[0]}` };
  const halfway = hold === undefined ? undefined : () => letGo(() => holds.hold(hold, about, gone), response);
  const pause = (milliseconds: number) => holds.waits.wait(milliseconds, gone);
  await sendBroken(handle, response, { fault, part, size: found.bytes, pause, halfway });
}

/** Whether somebody is left to get the rest; with an effect the connection dies there. */
async function letGo(held: () => Promise<{ effect?: unknown }>, response: ServerResponse): Promise<boolean> {
  const { effect } = await held();
  if (effect) response.destroy();
  return !response.destroyed;
}
