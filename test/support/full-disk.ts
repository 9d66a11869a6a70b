import type { Config } from '../../src/base/config/config.ts';
import type { Database } from '../../src/base/database/database.ts';
import { startEmulator } from '../../src/emulator.ts';
import { RenderCache } from '../../src/media/render-cache.ts';
import type { Renderer } from '../../src/media/render-request.ts';
import type { Context } from '../../src/service/http/context.ts';
import { atEnd } from './at-end.ts';
import { World } from './world.ts';

const UNBOUNDED = 1_000_000_000;

/** The space of a database. Without it, SQLite reports the same error as on a full disk. */
export interface Room {
  /** Lets the database grow by `more` pages. Even without any, some rows still fit into the existing pages. */
  bound(more?: number): Promise<void>;
  /** Leaves no room for another row. */
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** An emulator whose database can be kept from growing. */
export interface BoundedWorld extends Room {
  here: World;
  database: Database;
  /** Holds all renders until the returned function is called. */
  holdRenders(): () => void;
  /** Closes the emulator, even while its database is full. A second call has no effect. */
  close(): Promise<void>;
}

export function roomOf(database: Database): Room {
  const setPages = async (count: number) => {
    await database.transact((tx) => tx.get(`PRAGMA max_page_count = ${count}`));
  };
  const bound = (more = 0) => {
    const found = database.get<{ page_count: number }>('PRAGMA page_count');
    return setPages((found?.page_count ?? 0) + more);
  };
  const fill = async () => {
    await bound();
    await fillPages(database);
  };
  return { bound, fill, free: () => setPages(UNBOUNDED) };
}

/** A render cache that keeps no renders, but can hold all of them. */
class HeldRenders extends RenderCache {
  held: Promise<void> | undefined;

  override around(renderer: Renderer): Renderer {
    const render = renderer.render.bind(renderer);
    renderer.render = async (...order) => {
      await this.held;
      return render(...order);
    };
    return renderer;
  }
}

/** Starts an emulator, which is closed at the end of the test or of the file, if not before. */
export async function boundedWorld(config: Config): Promise<BoundedWorld> {
  const renders = new HeldRenders();
  const holdRenders = () => {
    let release = () => {};
    renders.held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  let database: Database | undefined;
  const attach = (context: Context) => {
    database = context.database;
  };
  const tally = { attach, keep: () => undefined, begin: () => undefined };
  const emulator = await startEmulator(config, { renders, tally });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= emulator.close();
    return closed;
  };
  atEnd(close);
  if (!database) throw new Error('the emulator has no database');
  return { here: new World(emulator), close, database, holdRenders, ...roomOf(database) };
}

/** Fills the space that is left in the existing pages. */
async function fillPages(database: Database): Promise<void> {
  for (let n = 0, length = 4000; length > 1; n += 1) {
    const filler = JSON.stringify('x'.repeat(length - 2));
    await database
      .transact((tx) => tx.run('INSERT INTO settings VALUES (?, ?)', `filler ${n} ${length}`, filler))
      .catch(() => {
        length = Math.floor(length / 2);
      });
  }
}
