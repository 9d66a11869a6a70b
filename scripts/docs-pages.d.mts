/** The files of the docs in the dashboard, of a folder that contains `docs`. Throws for HTML that cannot be shown. */
export declare function docsPages(root: string): { fileName: string; source: string }[];
