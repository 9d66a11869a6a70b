import { asCurl } from '../data/code-samples.ts';
import { asPython } from '../data/python-sample.ts';
import { asFetch, asOpenAi } from '../data/script-samples.ts';
import { Choices } from '../pieces/choices.tsx';
import { Code } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import type { DraftedCall } from './call-draft.ts';

const LANGUAGES = [
  ['curl', 'curl'],
  ['openai', 'openai'],
  ['fetch', 'fetch'],
  ['python', 'python'],
] as const;

const WRITERS = { curl: asCurl, openai: asOpenAi, fetch: asFetch, python: asPython };

/** The same call as code. */
export function CodeTabs({ call, isFirst }: { call: DraftedCall; isFirst: boolean }) {
  const [language, setLanguage] = useFilter('code', 'curl');
  const write = WRITERS[language as keyof typeof WRITERS] ?? asCurl;
  return (
    <Section
      title="Code"
      tools={<Choices label="Language" value={language} options={LANGUAGES} onChange={setLanguage} />}
    >
      <Code text={write(shortFiles(call), isFirst)} label="The call as code" />
    </Section>
  );
}

/** Files that were chosen in the page are long: code names them in short. */
function shortFiles(call: DraftedCall): DraftedCall {
  const request = call.request?.replaceAll(/"(data:[\w./+-]+;base64,)[\w+/=]{200,}"/g, '"$1…"');
  return { ...call, request: request ?? null };
}
