import type { ServerResponse } from 'node:http';
import type { ServedFile } from '../../engine/library/served-files.ts';
import type { ServiceRequest } from '../http/request.ts';
import type { Reading } from './reading.ts';

/** One read of a file of the CDN. */
export interface FileRead {
  reading: Reading;
  request: ServiceRequest;
  path: string;
  query: string;
  /** Answers with the file of the path, or throws why not. */
  serve(): Promise<void>;
  /** Sends a file; one that is not on the disk is made again. */
  send(found: ServedFile): Promise<void>;
}

/** How files of the CDN are opened for reading. */
export interface FileReads {
  /** Before a read. Returns false where it was answered instead. */
  begin(request: ServiceRequest, response: ServerResponse): boolean;
  read(read: FileRead): Promise<void>;
}

/** Every file is served as it is. */
export const plainFileReads: FileReads = { begin: () => true, read: ({ serve }) => serve() };
