import { join } from 'node:path';
import { inFlight, picture, SUBJECTS } from './bench-pictures.ts';
import { against, type BenchRow, held, medians, timesFaster } from './bench-row.ts';
import { RICH, withFolder, withServer } from './bench-server.ts';
import { plainPicture } from './plain-media.ts';
import { RawClient, wireRequest } from './raw-client.ts';

/** A charge that is kept and a file that is stored are in ours; the bench of the renderer measures the painting alone. */
const NO_SLOWER = 1;

type Act = (at: number) => Promise<unknown>;

/**
 * Pictures through the service, from request to answer: one, the same again, and four in flight. The plain way writes a
 * file too, though it need not be on the disk when it answers.
 */
export function pictureBench(): Promise<BenchRow[]> {
  return withFolder((folder) =>
    withServer(RICH, async ({ url }) => {
      const plain = (at: number) => plainPicture(at).toFile(join(folder, `${at}.png`));
      const clients = Array.from({ length: 4 }, () => new RawClient(url));
      const lanes = clients.map(asking);
      try {
        const alone = await aloneAndAgain(lanes[0] as Act, plain);
        const name = `${8 * SUBJECTS.length} pictures, four in flight, through the service`;
        const [ours, theirs] = [inFlight(lanes), inFlight([plain, plain, plain, plain])];
        return [...alone, ...(await held([{ name, bar: NO_SLOWER, warm: 10, rounds: 15, ours, theirs }]))];
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    }),
  );
}

/** A picture in turn with the plain way; and the same again, which is a file by then. */
async function aloneAndAgain(act: Act, plain: Act): Promise<BenchRow[]> {
  const { first, again, theirs } = await medians({ first: act, again: act, theirs: plain }, 100, 100);
  return [
    timesFaster('a picture, from request to answer', NO_SLOWER, { ours: first, theirs }),
    against('the same picture again: share of its first time', {
      ours: again,
      theirs: first,
      bar: '<= 0.20',
      unit: ' ms',
      digits: 2,
    }),
  ];
}

function asking(client: RawClient): Act {
  return (at) => {
    const { prompt, model } = picture(at);
    const body = JSON.stringify({ prompt, model });
    const key = 'svc_sk_local_emulator';
    return client.send(wireRequest('/v1/images/generations', { key, type: 'application/json', body }));
  };
}
