import type { Drawn } from './draw-lanes.ts';

/** The same step of two runs; undefined on the side on which nothing was done. */
interface DrawnPair {
  sides: readonly [Drawn | undefined, Drawn | undefined];
  isSame: boolean;
}

/** So many steps before and after those that differ stay in sight; of a longer row of equal ones these are drawn. */
const AROUND = 2;
const MOST = 200;

/** Two runs beside one another with the numbers of steps between them, equal steps folded; in the words of `compare.css`. */
export function drawPairs(label: string, heads: readonly [Drawn, Drawn], pairs: readonly DrawnPair[]): Drawn {
  const parted = pairs.findIndex(({ isSame }) => !isSame);
  const rows = pairs.map((pair, at) => ({ isNear: isNear(pairs, at), drawn: drawPair(pair, at, at === parted) }));
  const parts: Drawn[] = [];
  for (let at = 0; at < rows.length; ) {
    const next = rows.findIndex(({ isNear: near }, position) => position > at && near !== rows[at]?.isNear);
    const until = next === -1 ? rows.length : next;
    const own = rows.slice(at, until).map(({ drawn }) => drawn);
    parts.push(...(rows[at]?.isNear || own.length <= AROUND ? own : [fold(own)]));
    at = until;
  }
  const [left, right] = heads.map((head): Drawn => ['div', null, head]) as [Drawn, Drawn];
  const head: Drawn = ['div', { className: 'pair pair-names ruled sunken' }, left, spine('step'), right];
  return ['section', { className: 'pairs', 'aria-label': label }, head, ...parts];
}

function isNear(pairs: readonly DrawnPair[], at: number): boolean {
  return pairs.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ isSame }) => !isSame);
}

function drawPair({ sides: [left, right], isSame }: DrawnPair, at: number, isFirst: boolean): Drawn {
  const marks = { 'data-differs': isSame ? undefined : '', 'data-first': isFirst ? '' : undefined };
  const band: Drawn[] = isFirst ? [['p', { className: 'parting padded strong' }, 'First difference']] : [];
  return ['div', { className: 'pair ruled', ...marks }, ...band, side(left), spine(String(at + 1)), side(right)];
}

function side(drawn: Drawn | undefined): Drawn {
  return drawn === undefined ? ['div', { className: 'hatched soft' }, 'nothing'] : ['div', null, drawn];
}

function spine(text: string): Drawn {
  return ['div', { className: 'spine small' }, text];
}

function fold(rows: readonly Drawn[]): Drawn {
  const more = rows.length - MOST;
  const rest: Drawn[] = more > 0 ? [['p', { className: 'soft small padded' }, `and ${more} more`]] : [];
  const title: Drawn = ['summary', { className: 'soft small padded' }, `${rows.length} equal steps`];
  return ['details', { className: 'fold ruled' }, title, ...rows.slice(0, MOST), ...rest];
}
