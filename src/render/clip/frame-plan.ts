import type { ClipLayout } from './clip-layout.ts';
import type { Crossing } from './crossing.ts';
import type { FallingWeather } from './falling-weather.ts';
import type { SceneMotion } from './motion-field.ts';
import type { Storyboard } from './storyboard.ts';

/** What decides about all frames that are not key pictures. */
export interface FramePlan {
  layout: ClipLayout;
  board: Storyboard;
  motion: SceneMotion;
  weather: FallingWeather | undefined;
  crossing: Crossing | undefined;
}
