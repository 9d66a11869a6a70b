import { PronouncingBook } from '../../../src/render/speech/pronouncing-book.ts';

/** Read once for all tests of a file. */
export const english = new PronouncingBook();
