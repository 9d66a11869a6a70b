/**
 * What a CDN address names: an object (permanent) or, signed and for a time, a library entry, the small picture of one,
 * or what was given of an element.
 */
export interface CdnPath {
  area: CdnArea;
  id: string;
  name: string;
}

const AREAS = ['library', 'objects', 'thumbnails', 'elements'] as const;
type CdnArea = (typeof AREAS)[number];

const PATTERN = /^\/cdn\/(\w+)\/((?:lib|obj|el)_[0-9a-f]{1,64})\/([A-Za-z0-9._-]{1,100})$/;

const EXTENSION: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

/** How the name of a file of a media type ends. */
export function extensionOf(contentType: string): string {
  return EXTENSION[contentType] ?? 'bin';
}

export function objectPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/objects/${id}/${name}`;
}

export function libraryPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/library/${id}/${name}`;
}

/** `entryId`: of the library entry that the small picture shows. */
export function thumbnailPath(entryId: string): string {
  return `/cdn/thumbnails/${entryId}/${entryId}.webp`;
}

export function elementPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/elements/${id}/${name}`;
}

export function parseCdnPath(path: string): CdnPath | undefined {
  const [, word, id, name] = PATTERN.exec(path) ?? [];
  const area = AREAS.find((each) => each === word);
  return area && id && name ? { area, id, name } : undefined;
}
