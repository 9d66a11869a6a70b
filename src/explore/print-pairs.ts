import { xmlText } from '../report-card/xml-text.ts';
import type { Pair } from './pair-trails.ts';

/** Steps around a difference that are shown; further ones that were the same are folded. */
const AROUND = 2;

/** What the app did beside what should have come, with the number of each step between them. */
export function printPairs(pairs: readonly Pair[]): string {
  const parted = pairs.findIndex(isDifferent);
  if (parted === -1) return '';
  const rows = pairs.map((pair, at) => ({
    html: row(pair, { at, isFirst: at === parted }),
    isNear: isNear(pairs, at),
  }));
  const parts: string[] = [];
  for (let at = 0; at < rows.length; ) {
    const next = rows.findIndex(({ isNear: near }, place) => place > at && near !== rows[at]?.isNear);
    const until = next === -1 ? rows.length : next;
    const html = rows.slice(at, until).map((each) => each.html);
    parts.push(...(rows[at]?.isNear ? html : [folded(html)]));
    at = until;
  }
  return `<section class="pairs" aria-label="The failing run beside an undisturbed one">${HEAD}${parts.join('')}</section>`;
}

const HEAD =
  '<div class="pair pair-head"><div><b>What happened here</b><small>the run that failed</small></div><div class="mid">step</div><div><b>What should have come</b><small>an undisturbed run of the same outcome</small></div></div>';

function isDifferent({ did, should }: Pair): boolean {
  return did !== should;
}

function isNear(pairs: readonly Pair[], at: number): boolean {
  return pairs.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(isDifferent);
}

function row({ did, should }: Pair, { at, isFirst }: { at: number; isFirst: boolean }): string {
  const kind = isFirst ? ' first' : did === should ? '' : ' diff';
  return `<div class="pair${kind}">${side(did)}<div class="mid">${at + 1}</div>${side(should)}</div>`;
}

function side(text: string | undefined): string {
  return text === undefined ? '<div class="empty-side">nothing</div>' : `<div>${xmlText(text)}</div>`;
}

function folded(rows: readonly string[]): string {
  const words = rows.length === 1 ? '1 step was the same' : `${rows.length} steps were the same`;
  return `<details class="fold"><summary>${words}</summary>${rows.join('')}</details>`;
}
