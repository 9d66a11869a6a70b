import { watch } from 'node:fs';

/** Resolves once it is so in a folder: a look now, and one after each change in it. */
export function untilFolder(folder: string, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, { recursive: true });
    const look = () => {
      if (!isSo()) return;
      watcher.close();
      resolve();
    };
    // A folder that is removed while it is looked through is an error of the watcher.
    watcher.on('change', look).on('error', look);
    look();
  });
}
