/**
 * Writes the answers of the MCP tools as text for models. Texts of files, names and paths are data: none of them can
 * end the element around it, begin another element, or begin a line of a list.
 */
import type { ItemSearchResult } from '../agent/item-search.ts';
import type { ExplainResult } from '../context/explain-result.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import type { PolicyCheckResult } from '../policy/policy-requests.ts';
import type { ContextItem, ContextResult } from '../prompt/context-result.ts';
import type { RetrieveResult } from '../retrieval/retrieve-result.ts';
import { type Reason, uniqueWarnings, type Warning } from '../warnings.ts';
import type { Section } from './sections.ts';

/**
 * `resolved`: which files apply. `found`: their contents within a budget, and other context of the project. `isAlone`:
 * no other context was asked for.
 */
export function sectionsOfContext(
  resolved: ResolveResult,
  found: ContextResult,
  { isAlone }: { isAlone: boolean },
): Section[] {
  const active = resolved.files.filter(({ state }) => state === 'active');
  const available = resolved.files.filter(({ state }) => state === 'available');
  const contents = new Map(found.items.flatMap((item) => (isOfRules(item) ? [[item.path ?? '', item]] : [])));
  const given = active.flatMap((file) => {
    const item = contents.get(file.path);
    return item === undefined ? [] : [{ file, item, isCut: item.tokens < file.tokens }];
  });
  const cut = given.filter(({ isCut }) => isCut);
  const missing = active.filter(({ path }) => !contents.has(path));
  const tokens = given.reduce((sum, { item }) => sum + item.tokens, 0);
  const short = [cut.length > 0 && `${cut.length} cut`, missing.length > 0 && `${missing.length} left out`];
  const here = [`${counted(active.length, 'context file')} active (${tokens} tokens)`, ...short.filter(Boolean)];
  return [
    said(`In ${resolved.mountedDirectory}, ${here.join(', ')}.`),
    {
      entries: given.map(({ file: { name, type, relativePath, part }, item }) =>
        element('context_file', { name, type, path: relativePath, part }, item.content),
      ),
      whole: true,
    },
    list(
      'Only a part of each of these is above; put a name into `mentions` to get all of it:',
      given.flatMap(({ file: { name, part, wholeTokens } }) =>
        part === undefined ? [] : [`${name} (${wholeTokens} tokens)`],
      ),
    ),
    list('These do not fit completely; read them, or ask with a higher `maxTokens`:', [
      ...cut.map(({ file, item }) => `${file.path} (${file.tokens} tokens, ${item.tokens} of them above)`),
      ...missing.map((file) => `${file.path} (${file.tokens} tokens)`),
    ]),
    list(
      'Files that belong to these; put one into `mentions` to get it:',
      active.flatMap(({ name, supportingFiles = [] }) => supportingFiles.map((file) => `${name}/${file}`)),
    ),
    list(
      'Available, but not active; put a name into `mentions` to get the item:',
      available.map(({ name, trigger, description, instructions, reason }) =>
        `${name} (${trigger}, ${reason.code}) ${instructions ?? description}`.trim(),
      ),
      'search_context finds them',
    ),
    ...(isAlone ? [] : sectionsAlong(found)),
    // The caller has set a budget, so it need not know that there are many tokens.
    warningsList(
      uniqueWarnings([...resolved.warnings, ...(isAlone ? [] : found.warnings)]).filter(
        ({ code }) => code !== 'many_tokens',
      ),
    ),
  ];
}

function isOfRules({ kind }: Pick<ContextItem, 'kind'>): boolean {
  return kind === 'rule' || kind === 'reference';
}

/** The sections with everything except rules and references. */
function sectionsAlong({ items, omitted }: ContextResult): Section[] {
  const others = items.filter((item) => !isOfRules(item));
  const tokens = others.reduce((sum, each) => sum + each.tokens, 0);
  const left = omitted.filter((each) => !isOfRules(each));
  return [
    { entries: [inline(`${counted(others.length, 'piece')} found in the project (${tokens} tokens).`)] },
    {
      entries: others.map((item) => fileElement(item.name, { kind: item.kind }, item)),
      whole: true,
    },
    list(
      'Left out:',
      left.map(({ name, path, reason }) => `${path ?? name ?? ''} (${wordsOf(reason)})`),
    ),
  ];
}

export function sectionsOfExplanation({ candidates, warnings }: ExplainResult): Section[] {
  return [
    {
      entries: candidates.map(({ path, verdict, reason, steps }) =>
        [
          inline(`${path}: ${verdict} (${wordsOf(reason)})`),
          ...steps.map(
            ({ rule, outcome, detail }) =>
              `  ${inline(`${rule}: ${outcome}${detail === undefined ? '' : `, ${detail}`}`)}`,
          ),
        ].join('\n'),
      ),
      more: (cut) => `… and ${cut} more; ask for one by its \`path\`.`,
    },
    { entries: candidates.length === 0 ? ['There are no context files.'] : [], whole: true },
    warningsList(warnings),
  ];
}

export function sectionsOfRetrieval({ items, omitted, usage, warnings }: RetrieveResult): Section[] {
  return [
    said(`${counted(items.length, 'file')} found (${usage.tokens} tokens).`),
    {
      entries: items.map((item) => fileElement(item.relativePath, { origin: item.origin }, item)),
      whole: true,
    },
    list(
      'Left out:',
      omitted.map(({ path, reason }) => `${path} (${wordsOf(reason)})`),
    ),
    warningsList(warnings),
  ];
}

export function sectionsOfSearch({ results, searched, semantic, warnings }: ItemSearchResult): Section[] {
  if (searched === 0)
    return [
      said('There are no rules or references to search. retrieve_context searches the files.'),
      warningsList(warnings),
    ];
  const isReady = semantic.status === 'ready';
  return [
    { entries: results.length === 0 ? ['Nothing is relevant enough.'] : [], whole: true },
    {
      entries: results.map(({ type, name, score, chunk }) =>
        element('passage', { name, type, score: score.toFixed(2) }, chunk.text),
      ),
      more: (cut) => `… and ${cut} more that match less well; ask for less at once.`,
    },
    {
      entries: isReady ? [] : [inline(`Search by meaning is ${semantic.status}. ${semantic.detail ?? ''}`)],
      whole: true,
    },
    warningsList(warnings),
  ];
}

export function sectionsOfDecisions({ decisions, warnings }: PolicyCheckResult): Section[] {
  return [
    {
      entries: decisions.map(({ path, allowed, reason, decidedBy }) => {
        const line = decidedBy?.line === undefined ? '' : `:${decidedBy.line}`;
        const by = decidedBy === null ? '' : `, ${decidedBy.path}${line}`;
        return inline(`${path}: ${allowed ? 'allowed' : 'blocked'} (${wordsOf(reason)}${by})`);
      }),
      more: (cut) => `… and ${cut} more without a decision here: treat them as blocked, or ask for fewer.`,
    },
    warningsList(warnings),
  ];
}

function said(sentence: string): Section {
  return { entries: [inline(sentence)], whole: true };
}

function list(title: string, lines: readonly string[], advice = 'ask for less at once'): Section {
  return {
    title,
    entries: lines.map((line) => `- ${inline(line)}`),
    more: (cut) => `${title} … and ${cut} more; ${advice}.`,
  };
}

function warningsList(warnings: readonly Warning[]): Section {
  return list(
    'Warnings about the user’s files:',
    warnings.map(({ message, path, line }) => {
      const place = path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}: `;
      return `${place}${message}`;
    }),
  );
}

function wordsOf({ code, detail }: Reason): string {
  return detail === undefined ? code : `${code}: ${detail}`;
}

/** `1 file is`, `2 files are`. */
function counted(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`;
}

/** The names of the elements of answers. */
type ElementName = 'context_file' | 'file' | 'passage';
const tagOfAnswer = /<(?=[\s\p{Cf}/]{0,200}(?:context_file|file|passage)\b)/giu;

/** Escapes the `<` of tags that answers use as `&lt;`. Everything else is unchanged. */
function withoutTags(text: string): string {
  return text.replaceAll(tagOfAnswer, '&lt;');
}

/** One line of an answer. */
function inline(text: string): string {
  return withoutTags(text.replaceAll(/\s+/gu, ' ').trim());
}

/** All of a file, or some of its lines. */
function fileElement(
  path: string,
  attributes: Record<string, string>,
  { range, content }: Pick<ContextItem, 'range' | 'content'>,
): string {
  const lines = range === undefined ? undefined : `${range.startLine}-${range.endLine}`;
  return element('file', { path, lines, ...attributes }, content);
}

/** Writes an element in the form of XML, which models know. Neither an attribute nor the content can end it. */
function element(name: ElementName, attributes: Record<string, string | undefined>, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${inline(value).replaceAll(/["<>]/gu, '_')}"`,
  );
  return `<${name}${written.join('')}>
${withoutTags(content).trimEnd()}
</${name}>`;
}
