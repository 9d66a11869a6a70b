/** Pictures in the order of decoding, each one unit or more without lengths or start codes. */
export interface VideoTrack {
  width: number;
  height: number;
  framesPerSecond: number;
  sequenceSet: Buffer;
  pictureSets: Buffer[];
  samples: Buffer[][];
  /** Samples at which decoding can begin. */
  keys: number[];
  /** Frames that each picture is shown later than decoded; absent where all are shown as they come. */
  delays?: number[];
}

export interface AudioTrack {
  sampleRate: number;
  /** AAC frames of 1024 samples each; the first only primes the decoder. */
  frames: Buffer[];
  config: Buffer;
}
