export interface PageScript {
  name: string;
  /** As it was sent. */
  bytes: number;
}

/**
 * The scripts that the dashboard's first page loads: those of index.html, what they import, and the list of requests that
 * it shows. `encoding` is what the browser can unpack.
 */
export async function firstPageScripts(url: string, encoding: string): Promise<PageScript[]> {
  const sizes = new Map<string, number>();
  const weigh = async (name: string): Promise<void> => {
    if (sizes.has(name)) return;
    sizes.set(name, 0);
    const script = await fetch(`${url}/dashboard/assets/${name}`, {
      headers: { 'accept-encoding': encoding },
    });
    sizes.set(name, Number(script.headers.get('content-length')));
    const text = await script.text();
    const more = namesIn(text, /(?:from|import)\s*"\.\/([\w.-]+\.js)"/g);
    const shown = namesIn(text, /import\(`\.\/(live-page-[\w.-]+\.js)`\)/g);
    for (const each of [...more, ...shown]) await weigh(each);
  };
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  for (const name of namesIn(await page.text(), /\/assets\/([\w.-]+\.js)/g)) await weigh(name);
  return [...sizes].map(([name, bytes]) => ({ name, bytes }));
}

function namesIn(text: string, names: RegExp): string[] {
  return [...text.matchAll(names)].map(([, name = '']) => name);
}
