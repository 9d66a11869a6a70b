import type Sqlite from 'better-sqlite3';
import { hold } from '../database/native-handles.ts';

/** Tables that hold key material, and what may hold samples of it. */
const HIDDEN = ['secrets', 'sqlite_stat4'];

interface Instruction {
  opcode: string;
  p2: number;
  p3: number;
  p5: number;
}

/** The register, not the instruction itself, says which tree is opened. */
const BY_REGISTER = 0x10;

/**
 * Throws for a statement that would read key material, whatever way it is written: what it compiles to names every
 * tree that it opens.
 */
export function refuseHidden(db: Sqlite.Database, sql: string, bound: unknown[]): void {
  // An EXPLAIN tells of a statement and runs none.
  if (isExplained(sql)) return;
  const ofHidden = db.prepare<string[], { root: number }>(
    `SELECT rootpage AS root FROM sqlite_schema WHERE tbl_name IN (${HIDDEN.map(() => '?').join(', ')})`,
  );
  const roots = new Set(
    hold(ofHidden)
      .all(...HIDDEN)
      .map(({ root }) => root),
  );
  const opens = hold(db.prepare<unknown[], Instruction>(`EXPLAIN ${sql}`))
    .all(...bound)
    .filter(({ opcode }) => opcode.startsWith('Open') || opcode === 'ReopenIdx');
  const isHidden = ({ opcode, p2, p3, p5 }: Instruction) =>
    /Read|Write|Reopen/.test(opcode) && ((p5 & BY_REGISTER) !== 0 || (p3 === 0 && roots.has(p2)));
  if (opens.some(isHidden)) {
    throw new Error('it reads key material, which nobody reads. Leave the table secrets out.');
  }
}

/** Whether the first word, blanks and comments aside, is EXPLAIN; in one pass, however many comments there are. */
function isExplained(sql: string): boolean {
  let at = 0;
  for (let end = gapEnd(sql, at); end > at; end = gapEnd(sql, at)) at = end;
  return /^explain\b/i.test(sql.slice(at, at + 8));
}

/** Where a blank or a comment that begins at `at` ends; `at` where there is none. */
function gapEnd(sql: string, at: number): number {
  if (/\s/.test(sql.charAt(at))) return at + 1;
  if (sql.startsWith('--', at)) return behind(sql, '\n', at);
  return sql.startsWith('/*', at) ? behind(sql, '*/', at + 2) : at;
}

function behind(sql: string, mark: string, at: number): number {
  const found = sql.indexOf(mark, at);
  return found === -1 ? sql.length : found + mark.length;
}
