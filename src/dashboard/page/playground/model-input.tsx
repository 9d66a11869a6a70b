import { useList } from '../data/queries.ts';
import { SelectField } from '../pieces/select-field.tsx';

interface ListedModel {
  id: string;
  kind: string;
  pricing: string;
}

/** Of which kind the model of an operation is. */
const KINDS: Record<string, string> = {
  createChatCompletion: 'chat',
  createImage: 'image',
  createVideo: 'video',
  createSpeech: 'speech',
  createTranscription: 'transcription',
  createSong: 'music',
};

interface ModelInputProps {
  operation: string;
  value: unknown;
  isRequired: boolean;
  onChange: (value: unknown) => void;
}

/** A model of the kind that an operation takes, each with its price. */
export function ModelInput({ operation, value, isRequired, onChange }: ModelInputProps) {
  const { data: models = [] } = useList<ListedModel>('/models');
  const fitting = models.filter(({ kind }) => kind === KINDS[operation]);
  const options = fitting.map(({ id, pricing }) => ({
    value: id,
    text: id,
    note: shortened(pricing),
  }));
  const none = isRequired ? [] : [{ value: '', text: 'Left out' }];
  return (
    <SelectField
      label="model"
      value={String(value ?? '')}
      options={[...none, ...options]}
      onChange={(chosen) => onChange(chosen || undefined)}
    />
  );
}

function shortened(pricing: string): string {
  return pricing.split(';')[0]?.replace('credits per', 'cr.') ?? '';
}
