import { watch } from 'node:fs';

/** Resolves once `isSo` is true, which is checked now and after each change in the folder. */
export function untilFolder(folder: string, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, { recursive: true });
    const look = () => {
      if (!isSo()) return;
      watcher.close();
      resolve();
    };
    // The watcher reports an error if a folder is removed while it is read.
    watcher.on('change', look).on('error', look);
    look();
  });
}
