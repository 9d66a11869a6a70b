import type { RequestRecord } from '../data/records.ts';

/** The turns of a chat as its engine got them. */
export function EnginePrompt({ turns }: { turns: NonNullable<RequestRecord['engine_prompt']> }) {
  return (
    <ol className="stack">
      {turns
        .map((turn, position) => ({ ...turn, position }))
        .map(({ role, text, images, position }) => (
          <li key={position}>
            <p className="soft small">
              {role}
              {images > 0 && `, ${images} ${images === 1 ? 'picture' : 'pictures'}`}
            </p>
            <p className="pre" dir="auto">
              {text}
            </p>
          </li>
        ))}
    </ol>
  );
}
