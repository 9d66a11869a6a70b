import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import { WORLD_SETTING } from '../../engine/accounts/seed.ts';
import type { Context } from '../../service/http/context.ts';
import { DeclaredWorld } from './world-file.ts';
import { WorldMaking } from './world-making.ts';

/** How far a seeded state has come to be the world that it was seeded for. */
type Stage = 'due' | 'making' | 'made';

/** Makes each newly seeded state into the world that a file declares: at the first start, and after a reset. */
export class OwnWorld {
  readonly #world: DeclaredWorld;
  readonly #context: Context;
  #isOpen = false;

  constructor(world: DeclaredWorld, context: Context) {
    this.#world = world;
    this.#context = context;
  }

  /** From now on addresses are known, and it can be made. What an earlier start left half made is started anew. */
  async open(): Promise<void> {
    this.#isOpen = true;
    const { barrier, reset, log, config } = this.#context;
    const stage = this.#stage();
    if (stage === 'making') return reset();
    if (stage === undefined)
      log.info({ data_dir: config.dataDir }, 'the data folder has a world of its own; a reset makes that of --world');
    await barrier.closedFor(() => this.wake());
  }

  /** Makes it where the state has been seeded for it. Throws `WorldBroken`. */
  async wake(): Promise<void> {
    if (!this.#isOpen || this.#stage() !== 'due') return;
    await this.#mark('making');
    await new WorldMaking(this.#world, this.#context).make();
    await this.#mark('made');
  }

  get #database() {
    return this.#context.database;
  }

  #stage(): Stage | undefined {
    return readSetting<Stage>(this.#database, WORLD_SETTING);
  }

  #mark(stage: Stage): Promise<void> {
    return this.#database.transact((tx) => writeSetting(tx, WORLD_SETTING, stage));
  }
}

/** Reads the file that `--world` names: `fill` makes each newly seeded state into it, `open` makes what has to listen. */
export async function readWorld(file: string) {
  const declared = await DeclaredWorld.read(file);
  let own: OwnWorld | undefined;
  return {
    fill: (context: Context) => {
      own = new OwnWorld(declared, context);
      return own;
    },
    open: async () => own?.open(),
  };
}
