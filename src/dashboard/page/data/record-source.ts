import type { ComponentType } from 'react';
import type { TraceAnswers } from '../../../trace/trace-answer.ts';
import { PageStore } from './page-store.ts';

/** What stands for a file that a record does not hold: a picture of nothing. */
const NO_PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/** The record of a run that this page shows in place of a service; undefined for the dashboard of an emulator. */
class RecordSource extends PageStore<TraceAnswers | undefined> {
  /** A file of the record, by its address under whatever name. */
  file(url: string): string {
    const { pathname } = new URL(url, 'http://localhost');
    return this.value?.file(pathname) ?? NO_PICTURE;
  }
}

export const recordSource = new RecordSource(undefined);

/** What draws the output of its command as a page of its own. */
export const printedPage = new PageStore<ComponentType | undefined>(undefined);

/** Where its moment stands to what went wrong, in a few words. */
export const momentText = new PageStore<string | undefined>(undefined);
