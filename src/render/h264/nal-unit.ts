/** One unit of an H.264 stream: its header byte, then data in which no start code can occur. */
export function nalUnit(header: number, data: Buffer): Buffer {
  const extra = countEscapes(data);
  const unit = Buffer.allocUnsafe(1 + data.length + extra);
  unit[0] = header;
  if (extra === 0) {
    data.copy(unit, 1);
    return unit;
  }
  let [at, zeros] = [1, 0];
  for (const byte of data) {
    if (zeros >= 2 && byte <= 3) {
      unit[at++] = 3;
      zeros = 0;
    }
    unit[at++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return unit;
}

function countEscapes(data: Buffer): number {
  let count = 0;
  let from = data.indexOf('\0\0', 0, 'latin1');
  let zeros = 0;
  if (from < 0) return 0;
  for (; from < data.length; from++) {
    const byte = data[from] ?? 0;
    if (zeros >= 2 && byte <= 3) {
      count++;
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return count;
}
