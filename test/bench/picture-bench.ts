import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './bench-folder.ts';
import { picture } from './bench-pictures.ts';
import { type BenchRow, median } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { held, timed, timesFaster } from './contest.ts';
import { IN_A_ROUND, inFlight } from './four-in-flight.ts';
import { plainPicture } from './plain-media.ts';
import { RawClient } from './raw-client.ts';

/** A charge that is kept and a file that is stored are in ours; what is asked of the painting alone stands in the bench of the renderer. */
const NO_SLOWER = 1;

type Act = (at: number) => Promise<unknown>;

/**
 * Pictures through the service, from request to answer: one, the same again, and four in flight. The plain way writes a
 * file too, though it need not be on the disk when it answers.
 */
export async function pictureBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const plain = (at: number) => plainPicture(at).toFile(join(folder, `${at}.png`));
  const server = await ourServer('--credits', '1000000000');
  const connect = () => new RawClient(server.urls[0] ?? '');
  const clients = [connect(), connect(), connect(), connect()] as const;
  const lanes = clients.map(asking);
  try {
    const alone = await aloneAndAgain(asking(clients[0]), plain);
    const name = `${IN_A_ROUND} pictures, four in flight, through the service`;
    const [ours, theirs] = [inFlight(lanes), inFlight([plain, plain, plain, plain])];
    return [...alone, ...(await held([{ name, bar: NO_SLOWER, warm: 10, rounds: 15, ours, theirs }]))];
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A picture in turn with the plain way; and the same again, which is a file by then. */
async function aloneAndAgain(act: Act, plain: Act): Promise<BenchRow[]> {
  const [first, again, theirs]: [number[], number[], number[]] = [[], [], []];
  for (let round = -100; round < 100; round++) {
    const [one, other] = [await timed(() => act(round)), await timed(() => act(round))];
    const third = await timed(() => plain(round));
    if (round < 0) continue;
    first.push(one);
    again.push(other);
    theirs.push(third);
  }
  const [slow, quick] = [median(first), median(again)];
  const name = 'a picture, from request to answer';
  return [
    timesFaster(name, NO_SLOWER, { ours: slow, theirs: median(theirs) }),
    {
      name: 'the same picture again: share of its first time',
      ours: `${quick.toFixed(2)} ms`,
      theirs: `${slow.toFixed(2)} ms`,
      ratio: quick / slow,
      bar: '<= 0.20',
    },
  ];
}

function asking(client: RawClient): Act {
  return (at) => {
    const { prompt, model } = picture(at);
    return client.post('/v1/images/generations', 'svc_sk_local_emulator', { prompt, model });
  };
}
