import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../pieces/button.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import type { StepType } from './flow-records.ts';
import { isAlwaysShown, type StepField } from './step-fields.ts';
import { TemplateInput } from './template-input.tsx';
import type { TemplateOption } from './template-texts.ts';

interface ParamFieldProps {
  type: StepType;
  field: StepField;
  value: unknown;
  /** Undefined takes the param away. */
  onChange: (value: unknown) => void;
  templates: readonly TemplateOption[];
  error: string | undefined;
}

const UNSET = '';
const TEMPLATE = '{{';

/** One param of a step: a text with templates, a number, one of a few, or JSON. */
export function ParamField({ type, field, value, onChange, templates, error }: ParamFieldProps) {
  const id = useId();
  const noteId = `${id}note`;
  const { name, note, isRequired } = field;
  return (
    <div className="field">
      <div className="param-label">
        <label className="field-label" htmlFor={id}>
          {name}
        </label>
        {!isAlwaysShown(type, name) && (
          <Button
            look="quiet"
            icon={<X aria-hidden />}
            aria-label={`Take ${name} away`}
            onClick={() => onChange(undefined)}
          />
        )}
      </div>
      <ParamInput {...{ id, field, value, onChange, templates, noteId }} isInvalid={!!error} />
      <span className="field-note" id={noteId}>
        {isRequired ? '' : 'Optional: '}
        {note}
      </span>
      {error && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

type ParamInputProps = Pick<ParamFieldProps, 'field' | 'value' | 'onChange' | 'templates'> & {
  id: string;
  noteId: string;
  isInvalid: boolean;
};

function ParamInput(props: ParamInputProps) {
  const { id, field, value, onChange, templates, noteId, isInvalid } = props;
  const { kind, name, options, isRequired } = field;
  if (kind === 'json') return <JsonParam {...props} />;
  const known = options.find(([each]) => each === value);
  if (kind === 'choice' && (known || value === undefined)) {
    const choices = [
      ...(isRequired && known ? [] : [{ value: UNSET, text: 'Not set' }]),
      ...options.map(([, text]) => ({ value: text, text })),
      { value: TEMPLATE, text: 'From a template' },
    ];
    const choose = (text: string) => {
      if (text === UNSET || text === TEMPLATE) onChange(text === UNSET ? undefined : TEMPLATE);
      else onChange(options.find(([, each]) => each === text)?.[0]);
    };
    return (
      <div>
        <SelectField label={name} value={known?.[1] ?? UNSET} options={choices} onChange={choose} />
      </div>
    );
  }
  return (
    <TemplateInput
      {...{ id, isInvalid }}
      value={value === undefined ? '' : String(value)}
      onChange={(text) => onChange(paramValue(text, kind))}
      options={templates}
      isLong={kind === 'long'}
      describedBy={noteId}
    />
  );
}

/** Lists and objects, as JSON. */
function JsonParam({ id, value, onChange, noteId, isInvalid }: ParamInputProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value));
  const change = (typed: string) => {
    setText(typed);
    if (typed.trim() === '') return onChange(undefined);
    try {
      onChange(JSON.parse(typed));
    } catch {
      // As a text it is refused by the emulator, in its words.
      onChange(typed);
    }
  };
  return (
    <input
      id={id}
      className="input mono"
      value={text}
      placeholder='["…"]'
      aria-describedby={noteId}
      aria-invalid={isInvalid || undefined}
      onChange={(event) => change(event.target.value)}
    />
  );
}

function paramValue(text: string, kind: StepField['kind']): unknown {
  if (text === '') return undefined;
  return kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
