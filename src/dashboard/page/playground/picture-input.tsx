import { ImagePlus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../pieces/button.tsx';
import { byteSize } from '../pieces/byte-size.ts';
import { dataUrlOf } from '../pieces/data-url-of.ts';
import { sayError } from '../pieces/toast.tsx';

interface PictureInputProps {
  label: string;
  /** A URL or data URL; empty for none. */
  value: string;
  onChange: (url: string) => void;
}

/** A picture by its URL, or a file as a data URL. */
export function PictureInput({ label, value, onChange }: PictureInputProps) {
  if (value.startsWith('data:')) {
    return (
      <div className="picture-input">
        <img src={value} alt={`The file for ${label}`} />
        <span className="soft">{byteSize(Math.round(value.length * 0.75))}</span>
        <Button icon={<X aria-hidden />} aria-label={`Take ${label} away`} onClick={() => onChange('')} />
      </div>
    );
  }
  return (
    <div className="picture-input">
      <input
        className="input"
        aria-label={`${label}, a URL`}
        placeholder="https://…"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <PictureFile label={`Choose a file for ${label}`} onChoose={onChange} />
    </div>
  );
}

interface PictureFileProps {
  label: string;
  onChoose: (dataUrl: string) => void;
}

/** A button that takes a picture from the disk. */
export function PictureFile({ label, onChoose }: PictureFileProps) {
  const field = useRef<HTMLInputElement>(null);
  const choose = (file: File | undefined) => {
    if (file) dataUrlOf(file).then(onChoose, sayError);
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        accept="image/*"
        hidden
        aria-label={label}
        onChange={({ target }) => choose(target.files?.[0])}
      />
      <Button icon={<ImagePlus aria-hidden />} aria-label={label} onClick={() => field.current?.click()} />
    </>
  );
}
