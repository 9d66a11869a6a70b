import { DiskReserve } from '../../src/engine/storage/disk-reserve.ts';

/** That of an emulator whose folder nobody opens again: it keeps none. */
export function noReserve(folder: string): DiskReserve {
  return new DiskReserve({ path: folder, isEphemeral: true });
}
