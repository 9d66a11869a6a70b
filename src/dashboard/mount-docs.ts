import type { Express, Request, Response } from 'express';
import { readPageFile } from './page-file.ts';
import { encodings, sendFile } from './send-page-file.ts';

/** The documentation as files: Markdown for tools that read, and the trees from which the dashboard draws it. */
export function mountDocs(app: Express): void {
  app.get(['/docs', '/docs/:name'], async (request: Request, response: Response, next) => {
    const file = await readDocs(request);
    if (!file) return next();
    response.setHeader('cache-control', 'no-cache');
    response.setHeader('vary', 'Accept, Accept-Encoding');
    sendFile(request, response, file);
  });
}

/** `/docs/quickstart.md`, `/docs/quickstart.json`; or `/docs/quickstart` itself, for whoever accepts Markdown. */
function readDocs(request: Request) {
  const { name = 'README' } = request.params as { name?: string };
  const isFile = /\.(?:md|json)$/.test(name);
  if (!isFile && request.headers.accept?.includes('text/markdown') !== true) return undefined;
  return readPageFile(`docs/${isFile ? name : `${name}.md`}`, encodings(request));
}
