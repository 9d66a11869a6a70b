import { offsetText, percent, placeOf, type ScaleName } from '../../../trail/trail-place.ts';
import type { Trail } from '../data/order-views.ts';

/** How far two labels are apart at least, as a share of the whole. */
const APART = 0.085;

/** The true times of the moments, as many as have room: the first, the chosen and the last always. */
export function TrailAxis({ trail, scale, chosen }: { trail: Trail; scale: ScaleName; chosen: string | undefined }) {
  const { knots, gaps } = trail.scale;
  const now = trail.steps.find(({ id }) => id === chosen)?.at;
  const end = knots.at(-1)?.at ?? 0;
  const shown = [...new Set([0, end, ...(now === undefined ? [] : [now])])];
  const cuts = gaps.map(({ from, to }) => (placeOf(trail.scale, scale, from) + placeOf(trail.scale, scale, to)) / 2);
  const taken = [...shown.map((at) => placeOf(trail.scale, scale, at)), ...cuts];
  for (const { at } of knots) {
    const place = placeOf(trail.scale, scale, at);
    if (taken.some((other) => Math.abs(other - place) < APART)) continue;
    taken.push(place);
    shown.push(at);
  }
  const isFar = (at: number) =>
    at === now ||
    now === undefined ||
    Math.abs(placeOf(trail.scale, scale, at) - placeOf(trail.scale, scale, now)) >= APART;
  return (
    <div className="axis" aria-hidden>
      {knots.map(({ at }) => (
        <i key={at} style={{ left: percent(placeOf(trail.scale, scale, at)) }} />
      ))}
      {shown.filter(isFar).map((at) => (
        <span
          key={at}
          data-first={at === 0 ? '' : undefined}
          data-last={at === end && at > 0 ? '' : undefined}
          data-now={at === now ? '' : undefined}
          style={{ left: percent(placeOf(trail.scale, scale, at)) }}
        >
          {offsetText(at)}
        </span>
      ))}
      {gaps.map(({ from, text }, at) => (
        <span key={from} data-gap="" style={{ left: percent(cuts[at] ?? 0) }}>
          {text}
        </span>
      ))}
    </div>
  );
}
