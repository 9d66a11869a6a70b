import './moment.css';

/** In place of a record that cannot be read. */
export function DamagedPage({ why }: { why: string }) {
  return (
    <main className="damaged">
      <h1>This trace is damaged</h1>
      <p>{why}</p>
      <p className="soft">
        Copy the file anew from where it was written; a CI artifact that was cut off on its way is the usual cause.
      </p>
    </main>
  );
}
