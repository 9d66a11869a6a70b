import type { CatalogueFile, Engine } from './catalogue-file.ts';

/** What an opaque id does not say: rate, lengths, resolutions, surcharge and label, in one readable line. */
export function engineTerms(engine: Engine, ownClips: CatalogueFile['ownClips']): string {
  const parts = [
    ...engine.rates.map(rateText),
    lengthText(engine.seconds),
    engine.resolutionText,
    ...(engine.surcharge ? [`${engine.surcharge.credits} credits per ${surchargeText(engine.surcharge.per)}`] : []),
  ].join(', ');
  return engine.family === null
    ? `${parts}; as a synchronous 720p clip ${ownClips['5s']} credits for 5s, ${ownClips['10s']} credits for 10s`
    : `${parts} (engine ${engine.label})`;
}

function rateText(rate: Engine['rates'][number]): string {
  const price =
    rate.creditsPerClip === undefined
      ? `${rate.creditsPerSecond} credits per second`
      : `${rate.creditsPerClip} credits per clip`;
  const soundtrack = rate.audio === undefined ? [] : [rate.audio ? 'with sound' : 'without sound'];
  const terms = [...(rate.resolution ? [`at ${rate.resolution}`] : []), ...soundtrack];
  return [price, ...terms].join(' ');
}

function lengthText(seconds: Engine['seconds']): string {
  if ('min' in seconds) return `${seconds.min}-${seconds.max} s`;
  const others = seconds.oneOf.slice(0, -1).join(', ');
  const last = `${seconds.oneOf.at(-1)} s`;
  return others ? `${others} or ${last}` : last;
}

function surchargeText(per: 'reference' | 'starting image'): string {
  return per === 'reference' ? 'reference image' : 'starting image';
}
