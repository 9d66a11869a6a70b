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

/** What accounts may spend at most, whatever their balance. Without one an account pays for a look into a set. */
export class Budgets {
  readonly #database: Database;
  readonly #limited = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes up the budgets that the database keeps. */
  wake(): void {
    this.#limited.clear();
    for (const id of budgetedAccounts(this.#database)) this.#limited.add(id);
  }

  limits(accountId: string): boolean {
    return this.#limited.has(accountId);
  }

  find(accountId: string): StoredBudget | undefined {
    return this.limits(accountId) ? findBudget(this.#database, accountId) : undefined;
  }

  /** From now on an account may spend so much, net of refunds; null lets it spend what it has. */
  set(accountId: string, credits: number | null): Promise<void> {
    return this.#database.transact((tx) => {
      if (credits === null) deleteBudget(tx, accountId);
      else writeBudget(tx, accountId, credits);
      tx.onCommit(() => {
        if (credits === null) this.#limited.delete(accountId);
        else this.#limited.add(accountId);
      });
    });
  }

  /** Throws `BudgetExceeded` where a price goes beyond what is left. */
  spend(tx: Transaction, accountId: string, price: number): void {
    countSpent(tx, accountId);
    const budget = findBudget(tx, accountId);
    if (budget && budget.spent + price > budget.credits) throw new BudgetExceeded(budget, price);
  }

  /** What `beginning` comes to; where that is beyond the budget, the account is marked. */
  async marked<T>(accountId: string, beginning: Promise<T>): Promise<T> {
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
