import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ask } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { useMedia } from '../pieces/use-media.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { CallWorkbench } from './call-workbench.tsx';
import { EngineTable } from './engine-table.tsx';
import { OperationList, titleOfOperation } from './operation-list.tsx';
import { readDocument, type ServiceCall, type ServiceDocument } from './read-document.ts';
import { useRecipe } from './use-recipe.ts';
import './playground.css';

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
