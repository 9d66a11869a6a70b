import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../data/call-api.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { SearchBox } from '../pieces/search-box.tsx';
import { useOpened } from '../pieces/use-opened.ts';
import { DocsList } from './docs-list.tsx';
import { drawNodes } from './docs-node.tsx';
import type { DocsNode, DocsSection } from './docs-shapes.ts';
import './docs.css';

const FIRST = 'README';

/** The documentation, as it was when this emulator was built. */
export default function DocsPage() {
  const { id: name = FIRST } = useOpened('docs');
  const [text, setText] = useState('');
  const { data: sections = [] } = useDocs<DocsSection[]>('index');
  return (
    <>
      <PageHead title="Docs">
        <SearchBox label="Search the docs" value={text} onChange={setText} />
        <span className="grow" />
        <a className="button docs-markdown" href={`/docs/${name}.md`}>
          Markdown
        </a>
      </PageHead>
      <div className="docs split fill" data-searching={text === '' ? undefined : ''}>
        <DocsList sections={sections} text={text} opened={name} onOpen={() => setText('')} />
        <Article key={name} name={name} />
      </div>
    </>
  );
}

function Article({ name }: { name: string }) {
  const { data, error } = useDocs<DocsNode[]>(name);
  useEffect(() => {
    if (!data) return;
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (id !== '') document.getElementById(id)?.scrollIntoView();
  }, [data]);
  return (
    <section className="docs-article grow scrolls" aria-label="Page" tabIndex={0}>
      <ErrorNotice error={error} />
      <div className="docs-text">{data && drawNodes(data)}</div>
    </section>
  );
}

/** A file that the build has made of the documentation. */
function useDocs<T>(name: string) {
  return useQuery({
    queryKey: ['docs', name],
    queryFn: async (): Promise<T> => {
      const response = await ask(`/docs/${encodeURIComponent(name)}.json`, { method: 'GET' });
      if (!response.ok) throw new Error(`There is no page "${name}" in this version's docs.`);
      return (await response.json()) as T;
    },
  });
}
