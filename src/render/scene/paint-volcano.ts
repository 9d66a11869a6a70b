import { blend } from '../paint/palette.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { paintRidge } from './paint-ridge.ts';
import { type Stage, tone } from './stage.ts';

/** A single cone with glowing rivers and a column of smoke. */
export function paintVolcano(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('volcano');
  const x = plan.focus * spread * 0.5;
  const height = random.between(0.3, 0.48);
  const top = plan.horizon + 0.1 - height;
  const mouth = random.between(0.03, 0.07);
  for (let puff = 0; puff < 16; puff++) {
    const up = puff / 16;
    const smoke = blend(light.haze, 0x2a2630, 0.6 - up * 0.4);
    painter.disc(x + up * up * random.between(0, 0.5), top - up * 0.4, 0.03 + up * random.between(0.04, 0.1), smoke);
  }
  const rock = tone(light, 0.75, 0x3a3238);
  const half = random.between(0.4, 0.6);
  const foot = plan.horizon + 0.12;
  // Its flanks go on until well below where the ash may lie lowest.
  const [wide, base] = [half * 1.3, foot + 0.1];
  const slope = [
    x - wide,
    base,
    x - half * 0.35,
    top + height * 0.45,
    x - mouth,
    top,
    x + mouth,
    top,
    x + half * 0.35,
    top + height * 0.45,
    x + wide,
    base,
  ];
  painter.polygon(slope, rock);
  for (let river = 0; river < 3; river++) {
    const points: number[] = [];
    const lean = random.between(-0.8, 0.8);
    const path = (down: number) => x + lean * down * half * 0.7 + smoothNoise(river * 77, down * 5) * 0.02;
    for (let step = 0; step <= 8; step++)
      points.push(path(step / 8) - 0.008 * (1 + step / 8), top + (step / 8) * height * 0.8);
    for (let step = 8; step >= 0; step--)
      points.push(path(step / 8) + 0.008 * (1 + step / 8), top + (step / 8) * height * 0.8);
    painter.polygon(points, river === 1 ? 0xffc24a : 0xff6a2a);
  }
  painter.polygon(
    [x - mouth, top, x + mouth, top, x + mouth * 0.6, top + 0.014, x - mouth * 0.6, top + 0.014],
    0xffd86b,
  );
  paintRidge(stage, { name: 'ash', y: foot + 0.04, rise: 0.06, swing: 2, rough: 3, depth: 0.85 });
  paintRidge(stage, { name: 'ashfront', y: foot + 0.2, rise: 0.1, swing: 1.3, rough: 3, depth: 1 });
}
