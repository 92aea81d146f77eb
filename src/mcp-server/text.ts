/**
 * Answers of the MCP tools as text that models read. Texts of files, names and paths are data: none can end the element
 * it stands in, begin another, or begin a line of a list.
 */
import type { ItemSearchResult } from '../agent/item-search.ts';
import type { ExplainResult } from '../context/explain-result.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import type { PolicyCheckResult } from '../policy/policy-requests.ts';
import type { ContextResult } from '../prompt/context-result.ts';
import type { RetrieveResult } from '../retrieval/retrieve-result.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { Section } from './sections.ts';

export function sectionsOfResolution({ mountedDirectory, files, usage, warnings }: ResolveResult): Section[] {
  const active = files.filter(({ state }) => state === 'active');
  const available = files.filter(({ state }) => state === 'available');
  return [
    said(`In ${mountedDirectory}, ${counted(active.length, 'context file')} active (${usage.tokens} tokens).`),
    {
      entries: active.map(({ name, type, relativePath, part, content }) =>
        element('context_file', { name, type, path: relativePath, part }, content ?? ''),
      ),
      whole: true,
    },
    list(
      'Only a part of these is above; name one in `mentions` to get all of it:',
      active.flatMap(({ name, part, wholeTokens }) => (part === undefined ? [] : [`${name} (${wholeTokens} tokens)`])),
    ),
    list(
      'Files that belong to these; name one in `mentions` to get it:',
      active.flatMap(({ name, supportingFiles = [] }) => supportingFiles.map((file) => `${name}/${file}`)),
    ),
    list(
      'Active, but left out, because there is no room; ask again with a larger `maxTokens`:',
      usage.omitted.map(({ path, tokens }) => `${path} (${tokens} tokens)`),
    ),
    list(
      'Available, but not active; name one in `mentions` to get it:',
      available.map(({ name, trigger, description, instructions, reason }) =>
        `${name} (${trigger}, ${reason.code}) ${instructions ?? description}`.trim(),
      ),
      'search_context finds them',
    ),
    warningsList(warnings),
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
    { entries: candidates.length === 0 ? ['There is no candidate.'] : [], whole: true },
    warningsList(warnings),
  ];
}

export function sectionsOfRetrieval({ items, omitted, usage, warnings }: RetrieveResult): Section[] {
  return [
    said(`${counted(items.length, 'file')} found (${usage.tokens} tokens).`),
    {
      entries: items.map(({ relativePath, origin, range, content }) => {
        const lines = range === undefined ? undefined : `${range.startLine}-${range.endLine}`;
        return element('file', { path: relativePath, lines, origin }, content);
      }),
      whole: true,
    },
    list(
      'Left out:',
      omitted.map(({ path, reason }) => `${path} (${wordsOf(reason)})`),
    ),
    warningsList(warnings),
  ];
}

/** What goes along with a resolution, without the files that are active there. */
export function sectionsAlong({ items, omitted, usage, warnings }: ContextResult, { files }: ResolveResult): Section[] {
  const active = new Set(files.flatMap(({ path, state }) => (state === 'active' ? [path] : [])));
  const others = items.filter(({ kind, path = '' }) => kind === 'changes' || !active.has(path));
  return [
    { entries: [inline(`${counted(others.length, 'piece')} of the project found (${usage.tokens} tokens).`)] },
    {
      entries: others.map(({ kind, name, range, content }) => {
        const lines = range === undefined ? undefined : `${range.startLine}-${range.endLine}`;
        return element('file', { path: name, lines, kind }, content);
      }),
      whole: true,
    },
    list(
      'Left out:',
      omitted.map(({ name, path, reason }) => `${path ?? name ?? ''} (${wordsOf(reason)})`),
    ),
    warningsList(warnings),
  ];
}

export function sectionsOfSearch({ results, semantic, warnings }: ItemSearchResult): Section[] {
  const isReady = semantic.status === 'ready';
  return [
    { entries: results.length === 0 ? ['Nothing is relevant enough.'] : [], whole: true },
    {
      entries: results.map(({ type, name, score, chunk }) =>
        element('passage', { name, type, score: score.toFixed(2) }, chunk.text),
      ),
      more: (cut) => `… and ${cut} more that fit less; ask for less at once.`,
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
      more: (cut) => `… and ${cut} more about which nothing is said here: take them for blocked, or ask for fewer.`,
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

/** A text in which no tag of an answer stands: the `<` of one is written as `&lt;`. All else is as it was. */
function withoutTags(text: string): string {
  return text.replaceAll(tagOfAnswer, '&lt;');
}

/** One line of an answer. */
function inline(text: string): string {
  return withoutTags(text.replaceAll(/\s+/gu, ' ').trim());
}

/** Delimited as models know it. Neither an attribute nor the content can end it. */
function element(name: ElementName, attributes: Record<string, string | undefined>, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${inline(value).replaceAll(/["<>]/gu, '_')}"`,
  );
  return `<${name}${written.join('')}>
${withoutTags(content).trimEnd()}
</${name}>`;
}
