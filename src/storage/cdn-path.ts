/** What a CDN address names: a library entry (signed, for a time) or an object (permanent). */
export interface CdnPath {
  area: 'library' | 'objects';
  id: string;
  name: string;
}

const PATTERN = /^\/cdn\/(library|objects)\/((?:lib|obj)_[0-9a-f]{1,64})\/([A-Za-z0-9._-]{1,100})$/;

export function objectPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/objects/${id}/${name}`;
}

export function libraryPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/library/${id}/${name}`;
}

export function parseCdnPath(path: string): CdnPath | undefined {
  const [, area, id, name] = PATTERN.exec(path) ?? [];
  if ((area !== 'library' && area !== 'objects') || !id || !name) return undefined;
  return { area, id, name };
}
