import { type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { openTemplate, type TemplateOption } from './template-texts.ts';

interface TemplateInputProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly TemplateOption[];
  isLong: boolean;
  isInvalid: boolean;
  describedBy: string;
}

type Field = HTMLInputElement & HTMLTextAreaElement;

const INPUT = /^inputs\.[\w$-]+(?:\.[\w$-]+)*$/;

/** A text that may hold templates: after two braces it offers what can stand there. */
export function TemplateInput(props: TemplateInputProps) {
  const { id, value, onChange, isLong, isInvalid, describedBy } = props;
  const field = useRef<Field>(null);
  const listId = useId();
  const { offered, active, look, close, onKeyDown, take } = useCompletion(field, props);
  const common = {
    ...{ id, ref: field, className: 'input', value, dir: 'auto', spellCheck: isLong },
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    'aria-autocomplete': 'list' as const,
    'aria-controls': offered.length > 0 ? listId : undefined,
    'aria-activedescendant': offered.length > 0 ? `${listId}${active}` : undefined,
    onChange: (event: { target: { value: string } }) => {
      onChange(event.target.value);
      look();
    },
    onClick: look,
    onBlur: close,
    onKeyDown,
  };
  return (
    <div className="template-field">
      {isLong ? <textarea rows={2} {...common} /> : <input {...common} />}
      {offered.length > 0 && (
        <div className="popup template-list" role="listbox" id={listId} aria-label="Templates">
          {offered.map(({ template, note }, index) => (
            <div
              key={template}
              id={`${listId}${index}`}
              className="option"
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              data-highlighted={index === active ? '' : undefined}
              // The field keeps the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(index);
              }}
            >
              <code>{template}</code>
              <span className="option-note">{note}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function useCompletion(
  field: RefObject<Field | null>,
  { onChange, options }: Pick<TemplateInputProps, 'onChange' | 'options'>,
) {
  const [offered, setOffered] = useState<readonly TemplateOption[]>([]);
  const [active, setActive] = useState(0);
  const close = () => setOffered([]);
  const look = () => {
    const open = field.current && openTemplate(field.current.value, field.current.selectionStart);
    setOffered(open ? fitting(options, open.typed) : []);
    setActive(0);
  };
  const take = (index: number) => {
    const [element, option] = [field.current, offered[index]];
    const open = element && openTemplate(element.value, element.selectionStart);
    if (!element || !option || !open) return;
    const { selectionStart: caret, value } = element;
    const end = value.startsWith('}}', caret) ? caret + 2 : caret;
    element.setRangeText(option.template, open.from, end, 'end');
    onChange(element.value);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (offered.length === 0 || event.altKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isChosen = event.key === 'Enter' || event.key === 'Tab';
    if (by === undefined && !isChosen && event.key !== 'Escape') return;
    event.preventDefault();
    if (by !== undefined) setActive((active + by + offered.length) % offered.length);
    else if (isChosen) take(active);
    else close();
  };
  return { offered, active, look, close, onKeyDown, take };
}

/** What begins or goes on as typed; an input that none reads yet can be named. */
function fitting(options: readonly TemplateOption[], typed: string): readonly TemplateOption[] {
  const found = options.filter(({ template }) => template.includes(typed));
  const named = `{{${typed}}}`;
  if (!INPUT.test(typed) || found.some(({ template }) => template === named)) return found;
  return [...found, { template: named, note: 'a new input' }];
}
