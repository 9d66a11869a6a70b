/** What a token of a lie or a liberty brings back. */
interface LieToken {
  version: string;
  seed: number;
  /** As `--lie` takes it, or the name of a liberty. */
  key: string;
}

const MARK = 'l1-';

/** One word for a shell. */
export function writeLieToken({ version, seed, key }: LieToken): string {
  return MARK + Buffer.from([version, seed, key].join('\n')).toString('base64url');
}

/** Undefined where it is none. */
export function readLieToken(token: string): LieToken | undefined {
  if (!token.startsWith(MARK)) return undefined;
  const [version, seed, key] = Buffer.from(token.slice(MARK.length), 'base64url').toString().split('\n');
  if (!version || !/^\d+$/.test(seed ?? '') || !key) return undefined;
  return { version, seed: Number(seed), key };
}
