/** An object's URL is permanent. All others are signed and expire. */
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
