const UNITS = ['KiB', 'MiB', 'GiB'];

/** `512 B`, `51.3 KiB`, `1.1 MiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** `0:05`, `1:02`. */
export function playTime(seconds: number): string {
  const whole = Math.round(Number.isFinite(seconds) ? seconds : 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
