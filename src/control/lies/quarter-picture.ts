const SIGNATURE = 8;
/** Samples of a pixel by the colour type of a PNG. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Chunk {
  type: string;
  data: Buffer;
}

/** The same picture with every second pixel of every second row; undefined for what is no PNG of eight bits. */
export function quarterPicture(png: Buffer): Buffer | undefined {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  const samples = SAMPLES[header?.[9] ?? -1];
  if (header?.[8] !== 8 || header[12] !== 0 || samples === undefined) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const zlib = process.getBuiltinModule('node:zlib');
  const rows = unfiltered(zlib.inflateSync(packed), { width: width * samples, height, samples });
  const small = Buffer.from(header);
  small.writeUInt32BE(Math.ceil(width / 2), 0);
  small.writeUInt32BE(Math.ceil(height / 2), 4);
  const kept = rows.filter((_, y) => y % 2 === 0).map((row) => halfRow(row, samples));
  const others = chunks
    .filter(({ type }) => type === 'PLTE' || type === 'tRNS')
    .map(({ type, data }) => chunk(type, data));
  const body = [
    chunk('IHDR', small),
    ...others,
    chunk('IDAT', zlib.deflateSync(Buffer.concat(kept))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([png.subarray(0, SIGNATURE), ...body]);
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** The rows as they were before they were filtered: each byte was written as a difference from what is near it. */
function unfiltered(
  raw: Buffer,
  { width, height, samples }: { width: number; height: number; samples: number },
): Buffer[] {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (width + 1)];
    const row = Buffer.from(raw.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)));
    const above = rows[y - 1];
    for (let x = 0; x < width; x += 1) {
      const left = x < samples ? 0 : (row[x - samples] ?? 0);
      const corner = x < samples ? 0 : (above?.[x - samples] ?? 0);
      row[x] = (row[x] ?? 0) + predicted(filter, { left, up: above?.[x] ?? 0, corner });
    }
    rows.push(row);
  }
  return rows;
}

function predicted(
  filter: number | undefined,
  { left, up, corner }: { left: number; up: number; corner: number },
): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(left + up - corner - each)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function halfRow(row: Buffer, samples: number): Buffer {
  const width = row.length / samples;
  const pixels = Array.from({ length: Math.ceil(width / 2) }, (_, x) =>
    row.subarray(2 * x * samples, (2 * x + 1) * samples),
  );
  return Buffer.concat([Buffer.of(0), ...pixels]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(process.getBuiltinModule('node:zlib').crc32(named));
  return Buffer.concat([length, named, sum]);
}
