/** A file that came whole. It lies at `scratchPath` until somebody places it, or discards it. */
export interface Upload {
  scratchPath: string;
  /** Hex. */
  sha256: string;
  bytes: number;
  /** As the sender says, without parameters; `application/octet-stream` where that is nonsense. */
  contentType: string;
  /** As the sender says: any text. */
  originalName: string;
  /** The first 4 KiB. */
  head: Buffer;
  /** Removes the file; harmless when it has been placed. */
  discard(): Promise<void>;
}
