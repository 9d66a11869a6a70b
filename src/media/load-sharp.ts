import { createRequire } from 'node:module';
import type sharp from 'sharp';
import { installCommands } from '../base/config/package-manager.ts';
import { EmulatorError } from '../base/errors.ts';

const load = createRequire(import.meta.url);

/** Throws `render_failed` if sharp has no binary for this platform. */
export function loadSharp(): typeof sharp {
  try {
    return load('sharp');
  } catch (cause) {
    throw new EmulatorError(
      'render_failed',
      `sharp has no binary for ${process.platform}-${process.arch}: it was installed on another platform, or optional packages were left out. Run ${installCommands().optional}.`,
      { cause },
    );
  }
}
