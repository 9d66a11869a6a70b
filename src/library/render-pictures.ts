import type { JobRender, ReferencePicture, RenderRequest } from '../render/render-request.ts';

/** The names of the given pictures of a render, which are kept as long as it may have to be made again. */
export function picturesOf(request: JobRender): string[] {
  const names = allPictures(request).flatMap((picture) => ('sha256' in picture ? [picture.sha256] : []));
  return [...new Set(names)];
}

/** The same request with the present paths of its pictures: the data folder may have been moved since. */
export function withPicturesAt(request: RenderRequest, pathOf: (name: string) => string): RenderRequest {
  if (request.kind !== 'clip') return request;
  const at = (picture: ReferencePicture): ReferencePicture =>
    'sha256' in picture ? { ...picture, path: pathOf(picture.sha256) } : picture;
  return {
    ...request,
    figures: request.figures.map((figure) => ({
      ...figure,
      picture: figure.picture && at(figure.picture),
    })),
    firstFrame: request.firstFrame && at(request.firstFrame),
    lastFrame: request.lastFrame && at(request.lastFrame),
    references: request.references.map(at),
  };
}

/** The handles of the elements that a render shows. */
export function handlesOf(request: JobRender): string[] {
  return request.kind === 'clip' ? request.figures.map(({ handle }) => handle) : [];
}

function allPictures(request: JobRender): ReferencePicture[] {
  if (request.kind !== 'clip') return [];
  const { figures, firstFrame, lastFrame, references } = request;
  return [...figures.map(({ picture }) => picture), firstFrame, lastFrame, ...references].filter(
    (picture) => picture !== undefined,
  );
}
