import path from 'node:path';
import { Accounts } from '../accounts/accounts.ts';
import { type Catalogue, readCatalogue } from '../catalogue/catalogue.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Config } from '../config/config.ts';
import { Database } from '../database/database.ts';
import { NO_FILE } from '../database/native-handles.ts';
import { Journal } from '../journal/journal.ts';
import type { Log } from '../log/log.ts';
import { Random } from '../random.ts';
import { ActBook } from '../record/act-book.ts';
import { Search } from '../search/search.ts';
import { SearchIndex } from '../search/search-index.ts';
import { SqlRunner } from '../sql/sql-runner.ts';
import type { DataFolder } from '../storage/data-folder.ts';

interface GroundParts {
  folder: DataFolder;
  log: Log;
  catalogue: Catalogue | undefined;
}

/** What everything else stands on: time, chance, the databases, and who is who. */
export function layGround(config: Config, { folder, log, catalogue = readCatalogue(config.fixtures) }: GroundParts) {
  const clock = new VirtualClock();
  const random = new Random(config.seed);
  const file = (name: string) => path.join(folder.path, name);
  const scratch = (name: string) => (folder.isPassing ? NO_FILE : file(name));
  const database = new Database({ file: file('emulator.db'), durable: !config.ephemeral, clock });
  const told = (message: string) => (error: unknown) => log.error({ error }, message);
  const journal = new Journal({
    clock,
    file: scratch('journal.db'),
    onError: told('requests could not be journalled'),
  });
  const record = new ActBook({
    clock,
    file: scratch('record.db'),
    onError: told('what was done could not be written down'),
  });
  clock.observe((before, mark) => record.clockMoved(before, mark));
  const sql = new SqlRunner({ clock, file: database.file });
  const index = new SearchIndex({
    clock,
    journal,
    database,
    folders: folder,
    onError: told('the index of what is on record could not be kept'),
  });
  const search = new Search({ clock, database, random, index });
  const accounts = new Accounts({ database, random });
  return { clock, random, catalogue, database, journal, record, sql, search, accounts };
}

export type Ground = ReturnType<typeof layGround>;
