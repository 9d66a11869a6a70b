import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { ask } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { useFilter, useMedia, useOpened } from '../pieces/use-address.ts';
import { CallWorkbench } from './call-workbench.tsx';
import { EngineTable } from './engine-table.tsx';
import { readDocument, type ServiceCall, type ServiceDocument } from './read-document.ts';
import './playground.css';
import { useEffect } from 'react';
import { useRecord } from '../data/queries.ts';
import { type Draft, draftStore } from './call-draft.ts';

/** Where the engines are compared. */
const ENGINES = 'engines';

/** A form for each operation of the service, made from its document. */
export default function PlaygroundPage() {
  const { id = 'createChatCompletion' } = useOpened('playground');
  const { data: calls = [], error } = useCalls();
  const isWide = useMedia('(min-width: 1280px)');
  const call = calls.find((each) => each.id === id);
  useRecipe(call);
  return (
    <>
      <PageHead title="Playground">{!isWide && <OperationSelect calls={calls} id={id} />}</PageHead>
      <ErrorNotice error={error} />
      <div className="playground fill">
        {isWide && <OperationList calls={calls} current={id} engines={ENGINES} />}
        {id === ENGINES && <EngineTable />}
        {call && <CallWorkbench key={call.id} call={call} />}
      </div>
    </>
  );
}

function useCalls() {
  return useQuery({
    queryKey: ['service document'],
    queryFn: async (): Promise<ServiceCall[]> => {
      const response = await ask('/openapi.json', { headers: { accept: 'application/json' } });
      return readDocument((await response.json()) as ServiceDocument);
    },
  });
}

function OperationSelect({ calls, id }: { calls: readonly ServiceCall[]; id: string }) {
  const [, navigate] = useLocation();
  const options = calls.map((call) => ({
    value: call.id,
    text: titleOfOperation(call.id),
    note: `${call.method} ${call.path}`,
  }));
  return (
    <SelectField
      label="Operation"
      value={id}
      options={[...options, { value: ENGINES, text: 'Compare engines' }]}
      onChange={(chosen) => navigate(at.playground(chosen))}
    />
  );
}

/** `createChatCompletion` as `Create chat completion`. */
function titleOfOperation(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first word of a path below /v1. */
function groupOf({ path }: ServiceCall): string {
  const name = path.split('/')[2] ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
}

interface OperationListProps {
  calls: readonly ServiceCall[];
  current: string;
  /** The address of the table of engines. */
  engines: string;
}

/** Every operation, by what it is about. */
function OperationList({ calls, current, engines }: OperationListProps) {
  const groups = [...new Set(calls.map(groupOf))];
  return (
    <nav className="side-list fixed scrolls" aria-label="Operations">
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {calls
              .filter((call) => groupOf(call) === group)
              .map(({ id, method, path }) => (
                <Entry key={id} id={id} current={current} note={`${method} ${path}`} />
              ))}
            {group === 'Videos' && <Entry id={engines} current={current} title="Compare engines" />}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface EntryProps {
  id: string;
  current: string;
  title?: string;
  note?: string;
}

function Entry({ id, current, title = titleOfOperation(id), note }: EntryProps) {
  return (
    <li>
      <Link href={at.playground(id)} title={note} aria-current={id === current ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  );
}

/** Fills the form from a render that the address names: `?from=lib_…`; then the address is as before. */
function useRecipe(call: ServiceCall | undefined): void {
  const [from, setFrom] = useFilter('from');
  const { data } = useRecord<{ id: string; recipe: Draft }>(`/library/${from}`, {
    enabled: from !== '',
  });
  useEffect(() => {
    if (!call || data?.id !== from || from === '') return;
    draftStore.put(call.id, fittingDraft(call, data.recipe));
    setFrom('');
  });
}

/** Pictures are kept in short in a recipe: they are left out. */
function fittingDraft({ fields }: ServiceCall, recipe: Draft): Draft {
  const known = fields.filter(({ as, name }) => as !== 'picture' && name !== 'references');
  return Object.fromEntries(known.flatMap(({ name }) => (recipe[name] === undefined ? [] : [[name, recipe[name]]])));
}
