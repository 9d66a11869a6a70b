import type { Context } from '../http/context.ts';
import type { Row } from '../trace/trace-file.ts';

export const MEDIA = ['none', 'small', 'whole'] as const;
export type MediaSize = (typeof MEDIA)[number];

/** Bytes of all files of a trace, and of one of them. */
const MOST_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MOST_OF_ONE = 64 * 1_048_576;

interface Gathered {
  /** Data URLs by path. */
  media: Record<string, string>;
  leftOut: number;
}

/** The newest files of a run that there is room for: small pictures of all, which of a sound are its peaks; or all of them. */
export async function gatherMedia(context: Context, library: readonly Row[], size: MediaSize): Promise<Gathered> {
  const gathered: Gathered = { media: {}, leftOut: 0 };
  if (size === 'none') return gathered;
  const names = size === 'small' ? (['thumbnail_url'] as const) : (['thumbnail_url', 'url'] as const);
  const urls = library.flatMap((row) => names.map((name) => new URL(String(row[name]), 'http://localhost')));
  let room = MOST_BYTES[size];
  for (const { pathname, search } of urls) {
    const bytes = room > 0 ? await readFile(context, pathname, search.slice(1)) : undefined;
    if (!bytes || bytes.body.length > Math.min(room, MOST_OF_ONE)) {
      gathered.leftOut += 1;
      continue;
    }
    room -= bytes.body.length;
    gathered.media[pathname] = `data:${bytes.contentType};base64,${bytes.body.toString('base64')}`;
  }
  return gathered;
}

/** Undefined for what cannot be read any more: the trace is of what there is. */
async function readFile({ served }: Context, path: string, query: string) {
  try {
    const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
    return { body: await served.read(found.file), contentType: found.contentType };
  } catch {
    return undefined;
  }
}
