import sharp from 'sharp';

/** A small PNG of one colour, as a data URL. */
export async function flatPicture(background: string): Promise<string> {
  const size = { width: 64, height: 36, channels: 3 as const };
  const bytes = await sharp({ create: { ...size, background } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
