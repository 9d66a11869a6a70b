import type { Database } from '../../base/database/database.ts';
import { nextId, nextNumber } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { checkSteps, type FlowStep, lookAtSteps, type StepFindings } from './definition.ts';
import {
  changeDefinition,
  changeFlow,
  changeToken,
  deleteFlow,
  type Flow,
  type FlowDefinition,
  findFlow,
  insertFlow,
} from './flow-store.ts';
import type { StepKinds } from './step-kind.ts';

export interface BookParts {
  database: Database;
  random: Random;
  kinds: StepKinds;
}

/** The flows of every workspace, and their inbound addresses. */
export class FlowBook {
  readonly #database: Database;
  readonly #random: Random;
  readonly #kinds: StepKinds;

  constructor({ database, random, kinds }: BookParts) {
    this.#database = database;
    this.#random = random;
    this.#kinds = kinds;
  }

  /** Returns the paths of unknown fields. Throws `invalid_request` that names step and field. */
  check(steps: readonly FlowStep[]): string[] {
    return checkSteps(steps, this.#kinds);
  }

  /** All faults of steps, where `check` throws the first. */
  lookAt(steps: readonly FlowStep[]): StepFindings {
    return lookAtSteps(steps, this.#kinds);
  }

  create(order: Pick<Flow, 'workspaceId' | 'accountId'> & FlowDefinition & { enabled: boolean }): Promise<Flow> {
    return this.#database.transact((tx) => {
      const id = nextId(tx, this.#random, 'flow', order.workspaceId);
      insertFlow(tx, { ...order, id, token: this.#newToken(tx, id) });
      if (!order.enabled) changeFlow(tx, id, { enabled: false });
      return requireFlowOf(tx, id);
    });
  }

  /** Throws `flow_not_found`, as do the methods below. */
  find(id: string): Flow {
    return requireFlowOf(this.#database, id);
  }

  /** Gives a flow a new name and new steps; started runs keep theirs. */
  redefine(id: string, definition: FlowDefinition): Promise<Flow> {
    return this.#change(id, (tx) => changeDefinition(tx, id, definition));
  }

  /** Undefined fields stay as they are. */
  change(id: string, change: { enabled: boolean | undefined; accountId: string | undefined }): Promise<Flow> {
    return this.#change(id, (tx) => changeFlow(tx, id, change));
  }

  /** Gives a flow a new inbound address; the old one stops working. */
  roll(id: string): Promise<Flow> {
    return this.#change(id, (tx) => changeToken(tx, id, this.#newToken(tx, id)));
  }

  async remove(id: string): Promise<void> {
    const removed = await this.#database.transact((tx) => deleteFlow(tx, id));
    if (!removed) throw noFlow(id);
  }

  #change(id: string, write: (tx: Transaction) => void): Promise<Flow> {
    return this.#database.transact((tx) => {
      requireFlowOf(tx, id);
      write(tx);
      return requireFlowOf(tx, id);
    });
  }

  #newToken(tx: Transaction, id: string): string {
    return this.#random.token(id, 'hook', nextNumber(tx, id, 'hook'));
  }
}

function requireFlowOf(db: Parameters<typeof findFlow>[0], id: string): Flow {
  const flow = findFlow(db, id);
  if (flow) return flow;
  throw noFlow(id);
}

export function noFlow(id: string): EmulatorError {
  return new EmulatorError(
    'flow_not_found',
    `There is no flow ${quoted(id)}; GET /_emulator/flows lists those there are.`,
  );
}
