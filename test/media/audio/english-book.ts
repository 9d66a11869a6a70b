import { PronouncingBook } from '../../../src/media/speech/pronouncing-book.ts';

/** Read once for all tests of a file. */
export const english = new PronouncingBook();
