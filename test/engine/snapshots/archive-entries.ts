import { pack } from 'tar-stream';

/** What a tar holds: name and bytes, in order. */
export type Entries = [name: string, bytes: Buffer, type?: 'symlink' | 'link' | 'directory'][];

/** What lies in a tar. */
export function entriesOf(tar: Buffer): Entries {
  const entries: Entries = [];
  for (let at = 0; tar[at]; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*/s, '');
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 135), 8);
    entries.push([name, tar.subarray(at + 512, at + 512 + size)]);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

/** A tar of these, in their order. */
export async function tarOf(entries: Entries): Promise<Buffer> {
  const archive = pack();
  for (const [name, bytes, type = 'file'] of entries) {
    if (type === 'file') archive.entry({ name }, bytes);
    else archive.entry({ name, type, linkname: '/etc/passwd' });
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
