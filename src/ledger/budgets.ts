import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { ShortOfCredits } from '../errors.ts';
import { counted } from '../log/counted.ts';
import {
  budgetedAccounts,
  countSpent,
  deleteBudget,
  findBudget,
  markRefused,
  type StoredBudget,
  writeBudget,
} from './budget-store.ts';

/** The most that accounts may spend, whatever their balance. For an account without a budget this costs one lookup in a set. */
export class Budgets {
  readonly #database: Database;
  /** The accounts that have one. */
  readonly limited = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Loads which accounts have budgets. */
  wake(): void {
    this.limited.clear();
    for (const id of budgetedAccounts(this.#database)) this.limited.add(id);
  }

  find(accountId: string): StoredBudget | undefined {
    return this.limited.has(accountId) ? findBudget(this.#database, accountId) : undefined;
  }

  /** Sets what an account may spend from now on, net of refunds; null removes the budget. */
  set(accountId: string, credits: number | null): Promise<void> {
    return this.#database.transact((tx) => {
      if (credits === null) deleteBudget(tx, accountId);
      else writeBudget(tx, accountId, credits);
      tx.onCommit(() => {
        if (credits === null) this.limited.delete(accountId);
        else this.limited.add(accountId);
      });
    });
  }

  /** Throws `BudgetExceeded` for a price above what is left. */
  spend(tx: Transaction, accountId: string, price: number): void {
    countSpent(tx, accountId);
    const budget = findBudget(tx, accountId);
    if (budget && budget.spent + price > budget.credits) throw new BudgetExceeded(budget, price);
  }

  /** Returns what `beginning` resolves to; if that exceeds the budget, records the refusal. */
  async recorded<T>(accountId: string, beginning: Promise<T>): Promise<T> {
    try {
      return await beginning;
    } catch (error) {
      if (error instanceof BudgetExceeded) {
        await this.#database.transact((tx) => markRefused(tx, accountId));
      }
      throw error;
    }
  }
}

/** 402: names the price, the budget and what is left of it. */
class BudgetExceeded extends ShortOfCredits {
  constructor({ accountId, credits, spent }: StoredBudget, price: number) {
    super(
      credits - spent,
      `This costs ${counted(price, 'credit')}, and of the account's budget of ${credits} there are ${credits - spent} left. Nothing was started; set another one with PUT /_emulator/accounts/${accountId}/budget, or none with {"credits": null}.`,
    );
  }
}
