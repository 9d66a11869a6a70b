/**
 * What the path of a CDN URL names: an object (permanent) or, signed and for a limited time, a library entry, its thumbnail,
 * or a file of an element.
 */
export interface CdnPath {
  area: CdnArea;
  id: string;
  name: string;
}

const AREAS = ['library', 'objects', 'thumbnails', 'elements'] as const;

type CdnArea = (typeof AREAS)[number];

const PATTERN = /^\/cdn\/(\w+)\/((?:lib|obj|el)_[0-9a-f]{1,64})\/([A-Za-z0-9._-]{1,100})$/;

export function objectPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/objects/${id}/${name}`;
}

/** `entryId`: of the library entry whose thumbnail it is. */
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
