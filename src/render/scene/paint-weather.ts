import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { eachSlot, type Stage } from './stage.ts';

/** What falls or drifts in front of everything. */
export function paintWeather(stage: Stage): void {
  const { weather } = stage.plan;
  if (weather === 'storm') paintLightning(stage);
  if (!stage.isMoving && (weather === 'rain' || weather === 'storm')) paintRain(stage);
  if (!stage.isMoving && weather === 'snow') paintSnow(stage);
  if (weather === 'fog') paintFog(stage);
  if (weather === 'wind') paintLeaves(stage);
}

function paintRain(stage: Stage): void {
  const { painter, light, plan } = stage;
  const colour = blend(light.haze, 0xffffff, light.dark ? 0.3 : 0.5);
  const lean = plan.focus * 0.03;
  eachSlot(stage, { name: 'rain', step: 0.02, reach: 0.1 }, (slot, random) => {
    for (let drop = 0; drop < 7; drop++) {
      const [x, y] = [slot + random.next() * 0.02, random.between(-0.2, 1)];
      const long = random.between(0.015, 0.05);
      painter.polygon(
        [x, y, x + 0.0016, y, x + 0.0016 + lean * long * 10, y + long, x + lean * long * 10, y + long],
        colour,
      );
    }
  });
}

function paintLightning({ painter, plan, light, spread }: Stage): void {
  const random = plan.random.branch('bolt');
  let [x, y] = [-plan.focus * spread * random.between(0.2, 0.8), 0.04];
  const left: number[] = [];
  const right: number[] = [];
  while (y < plan.horizon) {
    const wide = 0.006 * (1 - y / plan.horizon) + 0.0015;
    left.push(x - wide, y);
    right.unshift(x + wide, y);
    x += random.between(-0.05, 0.05);
    y += random.between(0.025, 0.06);
  }
  painter.polygon([...left, ...right], blend(light.body, 0xffffff, 0.8));
}

function paintSnow(stage: Stage): void {
  const { painter } = stage;
  eachSlot(stage, { name: 'snow', step: 0.025, reach: 0.05 }, (slot, random) => {
    for (let flake = 0; flake < 5; flake++) {
      const size = random.chance(0.1) ? 0.007 : random.between(0.0015, 0.0042);
      painter.disc(
        slot + random.next() * 0.025,
        random.between(-0.2, 1),
        size,
        random.chance(0.5) ? 0xffffff : 0xdfe8f2,
      );
    }
  });
}

/** Banks of mist: glass with a wavy rim. */
function paintFog({ painter, plan, light }: Stage): void {
  const random = plan.random.branch('fog');
  const { canvas } = painter;
  const place = painter.place(lighten(light.haze, 0.18));
  for (let bank = 0; bank < 4; bank++) {
    const seed = random.below(9999);
    const y = plan.horizon - 0.08 + bank * 0.1;
    const [top, bottom] = [painter.row(y), painter.row(y + 0.07)];
    for (let from = 0; from < canvas.width; from += 8) {
      const x = (from - painter.view.x) / painter.view.scale;
      const lift = Math.round(layeredNoise(seed, x * 2, 2) * 0.03 * painter.view.scale);
      canvas.glaze({ left: from, top: top + lift, right: from + 8, bottom: bottom + lift }, place, 3);
    }
  }
}

function paintLeaves(stage: Stage): void {
  const { painter, light } = stage;
  eachSlot(stage, { name: 'leaf', step: 0.12, reach: 0.1 }, (x, random) => {
    if (!random.chance(0.4)) return;
    const size = random.between(0.012, 0.028);
    painter.silhouette('leaf', {
      x,
      y: random.between(0.1, 0.85),
      size,
      colour: blend(light.leaf, light.near, random.between(0, 0.4)),
      flip: random.chance(0.5),
    });
  });
}
