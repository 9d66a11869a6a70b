/** What tests with a process of their own start: bundled before they run, it is loaded as one file. */
export * from '../../src/config/config.ts';
export * from '../../src/control/control-routes.ts';
export * from '../../src/database/database.ts';
export * from '../../src/emulator.ts';
export * from '../../src/storage/file-folder.ts';
