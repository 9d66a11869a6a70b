/** What `/docs/index.json` holds: the sections of the documentation, in their order. */
export interface DocsSection {
  title: string;
  pages: DocsEntry[];
}

export interface DocsEntry {
  name: string;
  title: string;
  headings: { id: string; text: string }[];
}

/** A page as the build has read it: a text, or an element with its attributes and what is inside. */
export type DocsNode = string | [tag: string, attributes: DocsAttributes | null, ...DocsNode[]];

export interface DocsAttributes {
  id?: string;
  href?: string;
  /** Of samples and tables: which one of its page it is. */
  n?: number;
  lang?: string;
}
