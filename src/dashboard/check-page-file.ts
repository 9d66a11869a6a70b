import path from 'node:path';

/** Where `check` keeps the page of its last run, from the folder that it was run in; `/check` serves it from there. */
export const CHECK_PAGE = path.join('.svc-check', 'check.html');
