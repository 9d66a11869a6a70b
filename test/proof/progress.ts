import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Agent, setGlobalDispatcher } from 'undici';
import { VERSION } from '../../src/base/package/package-folder.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'proof');

// A busy machine may take long to accept 200 connections at once.
setGlobalDispatcher(new Agent({ connectTimeout: 120_000, headersTimeout: 0, bodyTimeout: 0 }));

/** The result of one seed of a part. */
export interface Proven {
  part: string;
  seed: number;
  /** The number of kills, requests or charges of the seed. */
  count: number;
  ms: number;
  version: string;
  /** The error message; undefined if the seed passed. */
  fault?: string;
  /** Other measured values, such as the longest hold of the event loop. */
  figures?: Record<string, number>;
}

/** The seeds to run: the one in `PROOF_SEED`, or those that have not passed yet in this version. */
export function seedsLeft(part: string, seeds: number): number[] {
  const { PROOF_SEED, PROOF_PART } = process.env;
  if (PROOF_PART && PROOF_PART !== part) return [];
  if (PROOF_SEED) return [Number(PROOF_SEED)];
  const held = new Set(
    recorded(part)
      .filter(({ fault, version }) => !fault && version === VERSION)
      .map(({ seed }) => seed),
  );
  return Array.from({ length: seeds }, (_, n) => n + 1).filter((seed) => !held.has(seed));
}

/** Runs one seed and records its result, even if it fails. */
export async function prove(
  part: string,
  seed: number,
  run: (seed: number) => Promise<{ count: number; figures?: Record<string, number> }>,
): Promise<void> {
  const start = Date.now();
  const told = (more: Pick<Proven, 'count' | 'fault' | 'figures'>) =>
    record({ part, seed, ms: Date.now() - start, version: VERSION, ...more });
  try {
    told(await run(seed));
  } catch (error) {
    told({ count: 0, fault: error instanceof Error ? error.message.slice(0, 4000) : String(error) });
    throw error;
  }
}

function recorded(part: string): Proven[] {
  const file = path.join(FOLDER, `${part}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Proven);
}

function record(proven: Proven): void {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(path.join(FOLDER, `${proven.part}.jsonl`), `${JSON.stringify(proven)}\n`);
}
