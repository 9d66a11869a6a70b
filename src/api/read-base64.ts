import type { Subsystems } from '../subsystems.ts';

/** The bytes of a finished render, as JSON answers carry them; made again should the disk have had no room for them. */
export async function readBase64(
  { served }: Pick<Subsystems, 'served'>,
  file: string,
): Promise<string> {
  return (await served.read(file)).toString('base64');
}
