import { readPage } from './follow-page.ts';

/** What the quick start shows for a language: its files, and its commands in order. */
export function shownFor(language: string): { files: Record<string, string>; commands: string[] } {
  const page = readPage('docs/quickstart.md');
  const [, section = ''] = new RegExp(`<summary>${language}[^<]*</summary>([\\s\\S]*?)</details>`).exec(page) ?? [];
  const files: Record<string, string> = {};
  const commands: string[] = [];
  for (const [, code = ''] of section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)) {
    const [, name] = /^(?:\/\/|#) (\w[\w.]*\.\w+)\n/.exec(code) ?? [];
    if (name) files[name] = code;
    else commands.push(code.trim());
  }
  return { files, commands };
}
