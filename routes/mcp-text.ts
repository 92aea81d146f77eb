/** Answers of the MCP tools as text that models read; the same is in the structured answer, field by field. */
import type { ItemSearchResult } from '../src/agent/item-search.ts';
import type { ExplainResult } from '../src/context/explain-result.ts';
import type { ResolveResult } from '../src/context/resolve-result.ts';
import type { PolicyCheckResult } from '../src/policy/policy-requests.ts';
import type { RetrieveResult } from '../src/retrieval/retrieve-result.ts';
import type { Reason, Warning } from '../src/warnings.ts';

export function textOfResolution({ mountedDirectory, files, usage, warnings }: ResolveResult): string {
  const active = files.filter(({ state }) => state === 'active');
  const available = files.filter(({ state }) => state === 'available');
  return sections([
    `In ${mountedDirectory}, ${counted(active.length, 'context file')} active (${usage.tokens} tokens).`,
    ...active.map(({ name, type, relativePath, content }) =>
      element('context_file', { name, type, path: relativePath }, content ?? ''),
    ),
    list(
      'Available, but not active; name one in `mentions` to get it:',
      available.map(({ name, trigger, description, reason }) => `${name} (${trigger}, ${reason.code}) ${description}`),
    ),
    list(
      'Left out, because the budget is used up; ask again with a larger `budget.maxTokens`:',
      usage.omitted.map(({ path, tokens }) => `${path} (${tokens} tokens)`),
    ),
    warningsList(warnings),
  ]);
}

export function textOfExplanation({ candidates, warnings }: ExplainResult): string {
  return sections([
    ...candidates.map(({ path, verdict, reason, steps }) =>
      [
        `${path}: ${verdict} (${wordsOf(reason)})`,
        ...steps.map(
          ({ rule, outcome, detail }) => `  ${rule}: ${outcome}${detail === undefined ? '' : `, ${detail}`}`,
        ),
      ].join('\n'),
    ),
    candidates.length === 0 ? 'There is no candidate.' : '',
    warningsList(warnings),
  ]);
}

export function textOfRetrieval({ items, omitted, usage, warnings }: RetrieveResult): string {
  return sections([
    `${counted(items.length, 'file')} found (${usage.tokens} tokens).`,
    ...items.map(({ relativePath, origin, range, content }) => {
      const lines = range === undefined ? undefined : `${range.startLine}-${range.endLine}`;
      return element('file', { path: relativePath, lines, origin }, content);
    }),
    list(
      'Left out:',
      omitted.map(({ path, reason }) => `${path} (${wordsOf(reason)})`),
    ),
    warningsList(warnings),
  ]);
}

export function textOfSearch({ results, semantic, warnings }: ItemSearchResult): string {
  return sections([
    results.length === 0 ? 'Nothing is relevant enough.' : '',
    ...results.map(({ type, name, serverName, score, chunk }) => {
      const title = serverName === undefined ? name : `${serverName}/${name}`;
      return `${title} (${type}, ${score.toFixed(2)})\n${chunk.text}`;
    }),
    semantic.status === 'ready' ? '' : `Search by meaning is ${semantic.status}. ${semantic.detail ?? ''}`.trim(),
    warningsList(warnings),
  ]);
}

export function textOfDecisions({ decisions, warnings }: PolicyCheckResult): string {
  return sections([
    decisions
      .map(({ path, allowed, reason, decidedBy }) => {
        const line = decidedBy?.line === undefined ? '' : `:${decidedBy.line}`;
        const by = decidedBy === null ? '' : `, ${decidedBy.path}${line}`;
        return `${path}: ${allowed ? 'allowed' : 'blocked'} (${wordsOf(reason)}${by})`;
      })
      .join('\n'),
    warningsList(warnings),
  ]);
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${oneLine(line)}`)].join('\n');
}

function warningsList(warnings: readonly Warning[]): string {
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

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** Delimited as models know it. An attribute cannot end its tag; what the content says is the file's. */
function element(name: string, attributes: Record<string, string | undefined>, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${oneLine(value).replaceAll(/["<>]/gu, '_')}"`,
  );
  return `<${name}${written.join('')}>
${content.trimEnd()}
</${name}>`;
}
