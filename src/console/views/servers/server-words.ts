/** The words for states, reasons and fields of MCP servers. */
import type { McpServerState } from '../../../events/event.ts';
import type { McpServerEntry } from '../../../mcp/server-requests.ts';
import type { Tone } from '../../elements/badge.tsx';

export const stateWords: Record<McpServerState, { text: string; tone: Tone }> = {
  needs_approval: { text: 'needs approval', tone: 'warn' },
  starting: { text: 'starting', tone: 'accent' },
  ready: { text: 'ready', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
  disabled: { text: 'disabled', tone: 'neutral' },
  stopped: { text: 'stopped', tone: 'neutral' },
};

const reasons: Record<string, string> = {
  not_started: 'It was not started since the daemon started.',
  stopped_by_user: 'You stopped it. It stays stopped until you start it.',
  starting: 'It is being started.',
  restarting: 'It is being started again.',
  ready: 'It runs and answers.',
};

/** Why a server is in its state, in words. */
export function wordsOfReason({ reason: { code, detail } }: Pick<McpServerEntry, 'reason'>): string {
  // The approval panel shows what changed, with the values.
  return code === 'approval_stale' ? 'It changed since it was approved.' : (detail ?? reasons[code] ?? code);
}

/** Whether the tools of a server in its approved form are known: it is running, or has listed some. */
export function areToolsKnown({ state, approvedAt, tools, withheldTools }: McpServerEntry): boolean {
  return approvedAt !== undefined && (state === 'ready' || tools + withheldTools > 0);
}

export const transportWords: Record<McpServerEntry['transport'], string> = {
  stdio: 'local program',
  http: 'remote, HTTP',
  sse: 'remote, SSE',
};

const fields: Record<string, string> = {
  command: 'Command',
  program: 'Program that is run',
  foundAs: 'Where the program was found',
  cwd: 'Working directory',
  url: 'Address',
  transport: 'Transport',
  name: 'Name',
  scope: 'Scope',
  definedIn: 'Defined in',
  unverifiable: 'What contextd cannot follow',
  below: 'Files below its directory',
  others: 'Everything else',
};

/** `args.0` → `Argument 1`. */
export function wordsOfField(field: string): string {
  const dot = field.indexOf('.');
  if (dot < 0) return fields[field] ?? field;
  const rest = field.slice(dot + 1);
  switch (field.slice(0, dot)) {
    case 'args':
      return `Argument ${Number(rest) + 1}`;
    case 'env':
      return `Variable ${rest}`;
    case 'variables':
      return `${rest} of your environment`;
    case 'headers':
      return `Header ${rest}`;
    case 'files':
    case 'below':
      return `Content of ${rest}`;
    default:
      return field;
  }
}

/** Words for what a tool claims about itself in its annotations. */
export function wordsOfAnnotations(
  annotations: Readonly<Record<string, unknown>> = {},
): { text: string; tone: Tone }[] {
  const words: { text: string; tone: Tone }[] = [];
  if (annotations.readOnlyHint === true) words.push({ text: 'reads only', tone: 'neutral' });
  if (annotations.destructiveHint === true && annotations.readOnlyHint !== true)
    words.push({ text: 'can destroy', tone: 'warn' });
  if (annotations.idempotentHint === true) words.push({ text: 'idempotent', tone: 'neutral' });
  if (annotations.openWorldHint === true) words.push({ text: 'reaches outside', tone: 'neutral' });
  return words;
}
