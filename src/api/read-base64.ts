import type { FinishedFile } from '../jobs/job.ts';
import type { Subsystems } from '../subsystems.ts';

/** Files up to this many bytes are read at once, from the page cache: quicker than three trips to another thread. */
const SMALL = 1_048_576;

/** The bytes of a finished render, as JSON answers carry them; made again should the disk have had no room for them. */
export async function readBase64(
  { served }: Pick<Subsystems, 'served'>,
  { file, bytes }: FinishedFile,
): Promise<string> {
  const small = bytes <= SMALL ? served.readNow(file, 0, bytes) : undefined;
  return (small ?? (await served.read(file))).toString('base64');
}
