/** One MPEG audio Layer III frame, as its four header bytes describe it. */
export interface FrameHeader {
  version: 1 | 2 | 2.5;
  /** Hertz. */
  sampleRate: number;
  channels: 1 | 2;
  /** Bits a second. */
  bitrate: number;
  /** Samples a channel. */
  samples: number;
  /** Length of the whole frame, header included. */
  bytes: number;
  /** Length of header, checksum and side information: main data begins here, and a Xing or Info tag stands here. */
  mainDataOffset: number;
}

const SAMPLE_RATES = [44100, 48000, 32000];
const KBITS_VERSION_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_VERSION_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const VERSIONS = [2.5, undefined, 2, 1] as const;
const LAYER_THREE = 1;

/** The frame header at `offset`, or undefined where none stands (reserved values and free-format bitrates included). */
export function parseFrameHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  if (offset + 4 > bytes.length) return undefined;
  const word = bytes.readUInt32BE(offset);
  const version = VERSIONS[(word >>> 19) & 3];
  if (word >>> 21 !== 0x7ff || version === undefined || ((word >>> 17) & 3) !== LAYER_THREE) {
    return undefined;
  }
  const kbits = (version === 1 ? KBITS_VERSION_1 : KBITS_VERSION_2)[(word >>> 12) & 15];
  const rate = SAMPLE_RATES[(word >>> 10) & 3];
  if (!kbits || !rate || (word & 3) === 2) return undefined;
  return describe(word, version, kbits * 1000, rate);
}

function describe(word: number, version: 1 | 2 | 2.5, bitrate: number, rate: number): FrameHeader {
  const sampleRate = version === 1 ? rate : version === 2 ? rate / 2 : rate / 4;
  const channels = ((word >>> 6) & 3) === 3 ? 1 : 2;
  const samples = version === 1 ? 1152 : 576;
  const padding = (word >>> 9) & 1;
  const checksum = (word >>> 16) & 1 ? 0 : 2;
  const mono = channels === 1;
  const sideInformation = version === 1 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return {
    version,
    sampleRate,
    channels,
    bitrate,
    samples,
    bytes: Math.floor((samples / 8) * (bitrate / sampleRate)) + padding,
    mainDataOffset: 4 + checksum + sideInformation,
  };
}
