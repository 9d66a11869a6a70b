import { ImagePlus, X } from 'lucide-react';
import { Button } from '../pieces/button.tsx';
import { byteSize } from '../pieces/byte-size.ts';
import { dataUrlOf } from '../pieces/data-url-of.ts';
import { FileButton } from '../pieces/file-button.tsx';
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
      <div className="picture-input row">
        <img src={value} alt={`The file for ${label}`} />
        <span className="soft">{byteSize(Math.round(value.length * 0.75))}</span>
        <Button icon={<X aria-hidden />} aria-label={`Take ${label} away`} onClick={() => onChange('')} />
      </div>
    );
  }
  return (
    <div className="picture-input row">
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
  return (
    <FileButton
      label={label}
      icon={ImagePlus}
      accept="image/*"
      onChoose={([file]) => void (file && dataUrlOf(file).then(onChoose, sayError))}
    />
  );
}
