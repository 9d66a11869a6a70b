import type { Stand } from '../explore/search-result.ts';
import { counted } from '../log/counted.ts';

const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

/** How far a search is: a bar on a terminal, else a line for each tenth. */
export class ExploreProgress {
  readonly #budgetMs: number;
  #told = 0;

  constructor({ budgetMs }: { budgetMs: number }) {
    this.#budgetMs = budgetMs;
  }

  tell(stand: Stand): void {
    const share = this.#share(stand);
    if (process.stderr.isTTY) {
      const bar = '='.repeat(Math.round(share * WIDTH)).padEnd(WIDTH);
      process.stderr.write(
        `${CLEAR_LINE}exploring [${bar}] ${this.#words(stand)}`.slice(
          0,
          (process.stderr.columns ?? 80) + CLEAR_LINE.length - 1,
        ),
      );
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth <= this.#told) return;
    this.#told = tenth;
    process.stderr.write(`explored ${tenth * 10} %: ${this.#words(stand)}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }

  #words({ run, findings, elapsedMs }: Stand): string {
    const left = this.#budgetMs === 0 ? '' : `, ${Math.max(0, Math.ceil((this.#budgetMs - elapsedMs) / 1000))} s left`;
    return `${counted(run, 'schedule')}, ${counted(findings, 'finding')}${left}`;
  }

  #share({ run, total, elapsedMs }: Stand): number {
    const ofTime = this.#budgetMs === 0 ? 0 : elapsedMs / this.#budgetMs;
    return Math.min(1, Math.max(ofTime, total === 0 ? 1 : run / total));
  }
}
