import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { Database } from '../../../src/base/database/database.ts';
import { EmulatorError } from '../../../src/base/errors.ts';
import { Random } from '../../../src/base/random.ts';
import { Accounts } from '../../../src/engine/accounts/accounts.ts';
import { Tests } from '../../../src/engine/accounts/tests.ts';
import { FaultRules } from '../../../src/engine/faults/fault-rules.ts';
import { addEntry } from '../../../src/engine/library/library-store.ts';
import { ServedFiles } from '../../../src/engine/library/served-files.ts';
import { seedUrlSecret } from '../../../src/engine/storage/cdn-url.ts';
import { FileFolder } from '../../../src/engine/storage/file-folder.ts';
import { Files } from '../../../src/engine/storage/files.ts';
import { Objects } from '../../../src/engine/storage/objects.ts';
import { StateBarrier } from '../../../src/service/http/state-barrier.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { paidJob } from '../../support/paid-job.ts';

export interface Workbench {
  folder: string;
  db: Database;
  clock: VirtualClock;
  random: Random;
  disk: FileFolder;
  files: Files;
  objects: Objects;
  faults: FaultRules;
  /** Two accounts that own nothing. */
  ana: string;
  ben: string;
  /** The files that are on the disk, and what lies in the scratch folder. */
  onDisk(): string[];
  inScratch(): string[];
  /** Writes a scratch file. */
  scratch(text: string): Promise<string>;
  served: ServedFiles;
  barrier: StateBarrier;
  /** The renders that were asked for, by what each was to show. */
  rendered: string[];
  /** What cannot be rendered. */
  brokenRenders: Set<string>;
  /** Keeps a render whose bytes are its prompt in an account's library; answers the entry's id. */
  render(accountId: string, prompt: string, options?: { store?: boolean; order?: string }): Promise<string>;
  /** Keeps text as an object of an account; answers the object's id. */
  store(accountId: string, text: string, name?: string): Promise<string>;
}

/** Storage on a database and a folder of its own, with two accounts. */
export async function openWorkbench(options: { maxDisk?: number } = {}): Promise<Workbench> {
  const folder = emptyFolder();
  const clock = new VirtualClock();
  const random = new Random(1);
  const db = new Database({ file: path.join(folder, 'test.db'), durable: false, clock });
  const scratch = path.join(folder, 'scratch');
  const disk = new FileFolder({ dataFolder: folder, scratch, durable: false, random });
  const files = new Files({ folder: disk, db, clock, ...options });
  const objects = new Objects({ db, random, files });
  const rendered: string[] = [];
  const brokenRenders = new Set<string>();
  const served = new ServedFiles({
    db,
    clock,
    files,
    render: async (request, target) => {
      const prompt = request.kind === 'image' ? request.prompt : '';
      rendered.push(prompt);
      if (brokenRenders.has(prompt)) throw new EmulatorError('render_failed', 'The engine broke.');
      await writeFile(target, prompt);
      return { bytes: Buffer.byteLength(prompt), contentType: 'image/png' };
    },
  });
  const accounts = new Accounts({ database: db, random });
  await db.transact((tx) => seedUrlSecret(tx, random));
  const ana = (await accounts.open({ credits: 0 })).account.id;
  const ben = (await accounts.open({ credits: 0 })).account.id;
  onTestFinished(async () => {
    await files.settled();
    clock.clear();
    db.close();
  });

  const writeScratch = async (text: string) => {
    const file = files.scratchPath();
    await writeFile(file, text);
    return file;
  };
  return {
    folder,
    db,
    clock,
    random,
    disk,
    files,
    objects,
    faults: new FaultRules({
      database: db,
      clock,
      random,
      tests: new Tests({ clock, random }),
    }),
    ana,
    ben,
    onDisk: () => namesIn(path.join(folder, 'files')),
    inScratch: () => namesIn(scratch),
    scratch: writeScratch,
    served,
    barrier: new StateBarrier(clock),
    rendered,
    brokenRenders,
    render: async (accountId, prompt, { store = false, order = prompt } = {}) => {
      const id = `job_${hash('sha256', `order of ${order}`, 'hex').slice(0, 24)}`;
      const file = {
        name: hash('sha256', `render of ${prompt}`, 'hex'),
        bytes: Buffer.byteLength(prompt),
        contentType: 'image/png',
      };
      const scratchPath = await writeScratch(prompt);
      return files.withPins(async (pins) => {
        await pins.place(scratchPath, file.name);
        return db.transact((tx) => {
          files.register(tx, file, 'render');
          const { name, bytes, contentType } = file;
          const stored = { accountId, name: 'stored.png', file: name, bytes, contentType };
          const objectId = store ? objects.create(tx, stored).id : undefined;
          const render = { kind: 'image', model: 'svc-image-one', prompt, seed: 1 } as const;
          const job = paidJob(tx, random, { id, accountId, parameters: { prompt }, render });
          return addEntry(tx, { job, file, objectId });
        });
      });
    },
    store: async (accountId, text, name = 'note.txt') => {
      const file = hash('sha256', text, 'hex');
      const bytes = Buffer.byteLength(text);
      const scratchPath = await writeScratch(text);
      return files.withPins(async (pins) => {
        await pins.place(scratchPath, file);
        return db.transact((tx) => {
          const contentType = 'text/plain';
          files.register(tx, { name: file, bytes, contentType }, 'upload');
          return objects.create(tx, { accountId, name, file, bytes, contentType }).id;
        });
      });
    },
  };
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}
