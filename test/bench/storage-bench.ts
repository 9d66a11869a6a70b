import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import express, { type Express } from 'express';
import multer from 'multer';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { Database } from '../../src/base/database/database.ts';
import { Random } from '../../src/base/random.ts';
import { Accounts } from '../../src/engine/accounts/accounts.ts';
import { Tests } from '../../src/engine/accounts/tests.ts';
import { FaultRules } from '../../src/engine/faults/fault-rules.ts';
import { Journal } from '../../src/engine/journal/journal.ts';
import { ServedFiles } from '../../src/engine/library/served-files.ts';
import { objectPath } from '../../src/engine/storage/cdn-url.ts';
import { FileFolder } from '../../src/engine/storage/file-folder.ts';
import { Files } from '../../src/engine/storage/files.ts';
import { addObject, listObjectsOfAccount } from '../../src/engine/storage/object-store.ts';
import { createCdnHandler } from '../../src/service/cdn/cdn-handler.ts';
import { attachRequestContext, type HttpRequest, RequestContext } from '../../src/service/http/request.ts';
import { sendError } from '../../src/service/http/send.ts';
import { createExpressApp, createHttpServer } from '../../src/service/http/server.ts';
import { StateBarrier } from '../../src/service/http/state-barrier.ts';
import { readUploadForm } from '../../src/service/http/upload.ts';
import { against, atMost, type BenchRow, median, medians } from './bench-row.ts';
import { withFolder } from './bench-server.ts';
import { postFile, requestsPerSecond } from './raw-load.ts';

const MEGABYTE = 1_048_576;
const ROUNDS = 5;
const OBJECTS = 100_000;
const PAGE = 1000;

/** Uploads, ranges and lists against what Express and multer do by themselves. Takes about a minute. */
export function storageBench(): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    const bench = await openStorage(folder);
    try {
      return [await benchUpload(bench), await benchRanges(bench), await benchPages(bench)];
    } finally {
      bench.clock.clear();
      bench.db.close();
    }
  });
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

async function openStorage(folder: string) {
  const clock = new VirtualClock();
  const random = new Random(1);
  const db = new Database({ file: path.join(folder, 'bench.db'), durable: true, clock });
  const paths = { dataFolder: folder, scratch: path.join(folder, 'scratch'), durable: true };
  const disk = new FileFolder({ ...paths, random });
  const files = new Files({ folder: disk, db, clock });
  const accounts = new Accounts({ database: db, random });
  const accountId = (await accounts.open({ credits: 0 })).account.id;
  return { folder, clock, db, random, files, accountId };
}

async function benchUpload({ folder, files }: Storage): Promise<BenchRow> {
  const ours = createHttpServer(
    answerErrors(async (request, response) => {
      const { file } = await readUploadForm(request, response, { field: 'file', files });
      await file.discard();
      response.end(JSON.stringify({ sha256: file.sha256 }));
    }),
  );
  const theirs = express();
  const storage = multer.diskStorage({ destination: folder });
  theirs.post('/', multer({ storage }).single('file'), async (request, response) => {
    if (request.file) await rm(request.file.path);
    response.json({ path: request.file?.path });
  });
  const send = async (port: number) => (100 / (await postFile(port, 100))) * 1000;
  const servers = [ours, theirs.listen(0)] as const;
  return compare('upload of 100 MB, hashed, and multer without', servers, send, ['MB/s', 1]);
}

async function benchRanges(storage: Storage): Promise<BenchRow> {
  const { clock, db, random, files, accountId } = storage;
  const name = 'ab'.repeat(32);
  const bytes = 8 * MEGABYTE;
  const scratch = files.scratchPath();
  writeFileSync(scratch, Buffer.alloc(bytes, 'frames'));
  const object = await files.withPins(async (pins) => {
    await pins.place(scratch, name);
    return db.transact((tx) => {
      const contentType = 'video/mp4';
      files.register(tx, { name, bytes, contentType }, 'upload');
      return addObject(tx, random, { accountId, name: 'clip.mp4', file: name, bytes, contentType });
    });
  });
  const render = () => Promise.reject(new Error('nothing is rendered here'));
  const served = new ServedFiles({ db, clock, files, render });
  const rules = new FaultRules({
    database: db,
    clock,
    random,
    tests: new Tests({ clock, random }),
  });
  const { audit } = new Journal({
    clock,
    limit: 100_000,
    file: files.scratchPath(),
    onError() {},
  });
  const ours = createHttpServer(
    answerErrors(createCdnHandler({ served, files, rules, audit, barrier: new StateBarrier(clock) })),
  );
  const theirs = express();
  theirs.get(objectPath(object), (_request, response) => response.sendFile(files.path(name), { dotfiles: 'allow' }));
  const load = (port: number) =>
    requestsPerSecond(port, objectPath(object), {
      headers: 'Range: bytes=1000000-1065535',
      connections: 16,
      seconds: 2,
    });
  const servers = [ours, theirs.listen(0)] as const;
  return compare('ranges of 64 KiB and res.sendFile', servers, load, ['/s', 3]);
}

/** The slowest page, each page's time being its median over the rounds, against the 5 ms that it may take. */
async function benchPages({ db, random, accountId }: Storage): Promise<BenchRow> {
  const file = 'cd'.repeat(32);
  const order = { accountId, name: 'note.txt', file, bytes: 1, contentType: 'text/plain' };
  await db.transact((tx) => {
    for (let n = 0; n < OBJECTS; n += 1) addObject(tx, random, order);
  });
  walk();
  const rounds = Array.from({ length: ROUNDS }, walk);
  const pages = rounds[0]?.map((_, page) => median(rounds.map((times) => times[page] ?? 0))) ?? [];
  const slowest = Math.max(...pages);
  return atMost('slowest page of 1,000 among 100,000 objects, ms', slowest, 5, 2);

  function walk(): number[] {
    const times: number[] = [];
    let after: string | undefined;
    do {
      const began = performance.now();
      const page = listObjectsOfAccount(db, accountId, { after, limit: PAGE });
      times.push(performance.now() - began);
      after = page.at(-1)?.id;
    } while (after !== undefined);
    return times;
  }
}

/** What both come to in interleaved rounds. */
async function compare(
  name: string,
  servers: readonly [Server, Server],
  measure: (port: number) => Promise<number>,
  [unit, bar]: [unit: string, bar: number],
): Promise<BenchRow> {
  const [ours = 0, theirs = 0] = await Promise.all(servers.map(portOf));
  const found = await medians({ ours: () => measure(ours), theirs: () => measure(theirs) }, ROUNDS);
  for (const server of servers) server.close();
  return against(name, { ...found, bar: `>= ${bar}`, unit: ` ${unit}` });
}

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Requests are stamped and errors answered as the whole emulator does it. */
function answerErrors(serve: (request: HttpRequest, response: ServerResponse) => Promise<void>): Express {
  const app = createExpressApp();
  app.use((request, response) => {
    attachRequestContext(response, new RequestContext('req_1', { received: 0, began: 0, journalEpoch: 0 }));
    serve(request, response).catch((error: unknown) => sendError(response, error));
  });
  return app;
}
