import type { Reach } from './effects/effect-row.ts';

/** Where a request can be struck, and what such a request has that a rule could look at. */
export interface FaultPoint extends Reach {
  /** As a router writes it: `:id` stands for one step, `*` at the end for any number. */
  path: string;
  methods: readonly string[];
  hasTexts: boolean;
  hasAccount: boolean;
}

/** Whether some path of a point begins with a prefix. */
export function begins(prefix: string, { path }: Pick<FaultPoint, 'path'>): boolean {
  const wanted = prefix.split('/');
  const there = path.split('/');
  return wanted.every((step, at) => {
    const own = there[at];
    if (own === undefined) return there.at(-1) === '*';
    if (own === '*') return true;
    const isLast = at === wanted.length - 1;
    if (own.startsWith(':')) return isLast || step !== '';
    return isLast ? own.startsWith(step) : own === step;
  });
}
