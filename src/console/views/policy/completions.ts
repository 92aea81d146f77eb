/** Suggestions while a policy is typed: keys, values, and patterns of existing files. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Text } from '@codemirror/state';
import { visibleText } from '../../../texts/visible-text.ts';

const keys: readonly Completion[] = [
  { label: 'ai_context_policy', detail: 'allow or block', apply: 'ai_context_policy: ' },
  { label: 'exclude', detail: 'the exceptions', apply: 'exclude:\n  - ' },
  { label: 'version', detail: 'version of the format', apply: 'version: ' },
];
const kinds: readonly Completion[] = [
  { label: 'allow', detail: 'everything, except what exclude names' },
  { label: 'block', detail: 'nothing, except what exclude names' },
];

/** Longer lines get no suggestions. */
const longestLine = 1_000;

/** `findFiles` returns paths, relative to the directory of the policy, that match some letters. */
export function policyCompletions(findFiles: (query: string) => Promise<readonly string[]>) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { doc } = context.state;
    const line = doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (before.length > longestLine) return null;
    const kind = /^ai_context_policy\s*:\s*["']?(\w*)$/u.exec(before)?.[1];
    if (kind !== undefined) return { from: context.pos - kind.length, options: kinds, validFor: /^\w*$/u };
    const version = /^version\s*:\s*(\d*)$/u.exec(before)?.[1];
    if (version !== undefined)
      return { from: context.pos - version.length, options: [{ label: '1', detail: 'the only version' }] };
    const pattern = patternBefore(doc, line.number, before);
    if (pattern !== undefined) {
      if (!context.explicit && before.trimEnd() === before && pattern.typed === '' && pattern.quote === '') return null;
      return completePattern(pattern, context, findFiles);
    }
    const key = /^\w*$/u.exec(before)?.[0];
    if (key === undefined || (key === '' && !context.explicit)) return null;
    const text = doc.toString();
    const options = keys.filter(({ label }) => !new RegExp(`^${label}\\s*:`, 'mu').test(text));
    return { from: line.from, options, validFor: /^\w*$/u };
  };
}

type Typed = { quote: string; typed: string };

/** The typed part of an exception, in a list of lines or in brackets. */
function patternBefore(doc: Text, lineNumber: number, before: string): Typed | undefined {
  const inLine = /^exclude\s*:\s*\[(?:[^\]]*,)?\s*(["']?)([^"',\]]*)$/u.exec(before);
  const item = inLine ?? /^\s*-\s+(["']?)([^"']*)$/u.exec(before);
  if (item === null) return undefined;
  const found = { quote: item[1] ?? '', typed: item[2] ?? '' };
  if (inLine !== null) return found;
  for (let number = lineNumber - 1; number > 0; number -= 1) {
    const key = /^(\w+)\s*:/u.exec(doc.line(number).text)?.[1];
    if (key !== undefined) return key === 'exclude' ? found : undefined;
  }
  return undefined;
}

async function completePattern(
  { quote, typed }: Typed,
  context: CompletionContext,
  findFiles: (query: string) => Promise<readonly string[]>,
): Promise<CompletionResult | null> {
  const letters = typed.replaceAll(/[*?[\]{}!]/gu, '').replace(/^\/+|\/+$/gu, '');
  let files: readonly string[];
  try {
    files = (await findFiles(letters)).filter((path) => !/[*?[\]{}!\\]/u.test(path));
  } catch {
    return null;
  }
  if (context.aborted) return null;
  const wanted = letters.toLowerCase();
  const patterns = new Map<string, string>();
  for (const path of files) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      if (patterns.size < 12 && folder.toLowerCase().includes(wanted)) patterns.set(`${folder}/**`, 'folder');
    }
  }
  for (const path of files.slice(0, 30)) patterns.set(path, 'file');
  for (const path of files) {
    const extension = /[^/.](\.\w+)$/u.exec(path)?.[1];
    if (extension !== undefined && patterns.size < 60 && (wanted === '' || extension.includes(wanted)))
      patterns.set(`**/*${extension}`, 'by extension');
  }
  const after = context.state.sliceDoc(context.pos, context.pos + 1);
  const options = [...patterns].map(
    ([pattern, detail]): Completion => ({
      label: pattern,
      displayLabel: visibleText(pattern),
      detail,
      apply: quoted(pattern, quote, after),
    }),
  );
  return { from: context.pos - typed.length, options, filter: false };
}

/** Adds the quotes that YAML needs, if they are missing. */
function quoted(pattern: string, opened: string, after: string): string {
  const inside = opened === "'" ? pattern.replaceAll("'", "''") : JSON.stringify(pattern).slice(1, -1);
  if (opened === '') return `"${inside}"`;
  return after === opened ? inside : inside + opened;
}
