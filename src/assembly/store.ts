import type { Config } from '../config/config.ts';
import { HostRule } from '../http/host-rule.ts';
import { Elements } from '../library/elements.ts';
import { ServedFiles } from '../library/served-files.ts';
import { probeAudio } from '../render/audio-probe.ts';
import { probePicture } from '../render/picture-probe.ts';
import type { RememberedRenders } from '../render/remembered-renders.ts';
import { createRenderer } from '../render/worker-renderer.ts';
import type { DataFolder } from '../storage/data-folder.ts';
import { FileFolder } from '../storage/file-folder.ts';
import { Files } from '../storage/files.ts';
import { Objects } from '../storage/objects.ts';
import { References } from '../storage/references.ts';
import type { Ground } from './ground.ts';
import { workerCount } from './worker-count.ts';

const AUDIO_TYPE = { wav: 'audio/wav', mp3: 'audio/mpeg' };

/** Where the files lie, and what was rendered before. */
interface Room {
  config: Config;
  folder: DataFolder;
  renders: RememberedRenders | undefined;
}

/** Files, what renders them, and what refers to them. */
export function openStore({ config, folder, renders }: Room, { clock, random, database: db }: Ground) {
  const hosts = new HostRule(config);
  const places = { dataFolder: folder.path, scratch: folder.temporary, durable: !config.ephemeral, random };
  const files = new Files({ folder: new FileFolder(places), db, clock, maxDisk: config.maxDisk });
  const objects = new Objects({ db, random, files });
  const pool = { workers: workerCount(), scratchFolder: folder.temporary, ffmpegPath: config.ffmpeg };
  const own = createRenderer({ clock, ...pool });
  const renderer = renders?.around(own) ?? own;
  const served = new ServedFiles({ db, clock, files, render: renderer.render.bind(renderer) });
  const references = new References({
    db,
    files,
    isOwnUrl: (url: URL) => url.pathname.startsWith('/cdn/') && hosts.isOwn(url),
    readOwn: (url: URL) => served.read(served.find(url.pathname, url.search.slice(1)).file),
    probePicture: (bytes: Buffer) => ({ contentType: `image/${probePicture(bytes).format}` }),
    probeVoice: (bytes: Buffer) => ({ contentType: AUDIO_TYPE[probeAudio(bytes).format] }),
  });
  const elements = new Elements({ db, random, files, references });
  return { hosts, files, objects, renderer, served, references, elements };
}

export type Store = ReturnType<typeof openStore>;
