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
const EXPLAINED = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*explain\b/i;

/**
 * Throws for a statement that would read key material, whatever way it is written: what it compiles to names every
 * tree that it opens.
 */
export function refuseHidden(db: Sqlite.Database, sql: string, bound: unknown[]): void {
  // An EXPLAIN tells of a statement and runs none.
  if (EXPLAINED.test(sql)) return;
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
