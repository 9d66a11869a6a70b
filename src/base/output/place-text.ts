/** Where something is, behind its name: ` (file:line)`, as far as it is known. */
export function placeText({ file, line }: { file?: string | undefined; line?: number | undefined } = {}): string {
  return file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
}
