import { SUBJECTS } from './bench-pictures.ts';

/** Pictures of one round in which four are in flight, of each subject as many. */
export const IN_A_ROUND = 8 * SUBJECTS.length;

/** As many at every moment as there are lanes: the one that has one made asks for the next. */
export function inFlight(lanes: readonly ((at: number) => Promise<unknown>)[]) {
  return async (round: number) => {
    let at = 2000 + round * IN_A_ROUND;
    const end = at + IN_A_ROUND;
    const work = async (act: (at: number) => Promise<unknown>) => {
      while (at < end) await act(at++);
    };
    await Promise.all(lanes.map(work));
  };
}
