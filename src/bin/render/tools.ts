/** Pages about tools of MCP servers. Withheld tools are shown whole, before and now (S-31, S-84). */
import type { McpToolList, ToolCallResult } from '../../mcp/server-requests.ts';
import type { Sheet } from './page.ts';
import { cutText, nameColumn, oneLine, padText, textLines, textWidth } from './terminal-text.ts';
import { count } from './words.ts';

type Withheld = McpToolList['withheld'][number];
type Described = NonNullable<Withheld['tool']>;

export function renderTools({ tools, withheld }: McpToolList, sheet: Sheet): string[] {
  if (tools.length + withheld.length === 0)
    return ['No tools are known. A server lists its tools when it is started for the first time.'];
  const rows = tools.map(({ name, description }) => ({ name: oneLine(name), description: oneLine(description) }));
  const width = nameColumn(rows, sheet.width * 0.4);
  const lines = rows.map(({ name, description }) => {
    const room = sheet.width - Math.max(width, textWidth(name)) - 2;
    const about = room < 8 ? '' : sheet.paint('dim', cutText(description, room));
    return `${padText(name, width)}  ${about}`.trimEnd();
  });
  const parts = [
    lines,
    withheldPart('Withheld: nobody can use them until you approve the server with --tools', {
      withheld: withheld.filter(({ tool }) => tool !== undefined),
      sheet,
    }),
    withheldPart('Nobody can use these tools', {
      withheld: withheld.filter(({ tool }) => tool === undefined),
      sheet,
    }),
  ];
  return parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
}

function withheldPart(title: string, { withheld, sheet }: { withheld: Withheld[]; sheet: Sheet }): string[] {
  if (withheld.length === 0) return [];
  return [sheet.paint('bold', title), ...withheld.flatMap((each) => ['', ...renderWithheld(each, sheet)])];
}

const comparedFields = {
  title: 'title',
  description: 'description',
  inputSchema: 'arguments',
  outputSchema: 'result',
  annotations: 'hints about itself',
} as const satisfies Partial<Record<keyof Described, string>>;

/** Why a tool is withheld, and each part that differs from the approved one, before and now. */
export function renderWithheld({ name, reason, tool, approved }: Withheld, sheet: Sheet): string[] {
  const headOf = (what: string) => [
    `${sheet.paint('yellow', `! ${what}`)}  ${sheet.paint('bold', oneLine(name))}`,
    `    ${oneLine(reason.detail ?? reason.code)}`,
  ];
  if (tool === undefined) return headOf('cannot be used');
  const parts = (Object.keys(comparedFields) as (keyof typeof comparedFields)[]).flatMap((field) => {
    const [before, after] = [textOf(approved?.[field]), textOf(tool[field])];
    if (before === after) return [];
    return [
      `    ${sheet.paint('dim', comparedFields[field])}`,
      ...marked('-', before).map((line) => sheet.paint('red', line)),
      ...marked('+', after).map((line) => sheet.paint('green', line)),
    ];
  });
  const none = ['    The difference is not visible here: it is in invisible characters, or in text that is not shown.'];
  return [...headOf(approved === undefined ? 'new' : 'changed'), ...(parts.length === 0 ? none : parts)];
}

/** The answer of a tool: texts unchanged, other content by its kind. */
export function renderCallResult({ content, structuredContent }: ToolCallResult): string[] {
  const lines = content.flatMap(renderPart);
  // By the protocol, servers repeat a value as text. So it is shown only if there is no text.
  if (lines.length === 0 && structuredContent !== undefined) return textLines(textOf(structuredContent) ?? '');
  return lines.length === 0 ? ['(The answer is empty.)'] : lines;
}

function renderPart(part: unknown): string[] {
  const { type, text, data, mimeType } = (part ?? {}) as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return textLines(text.replace(/\n$/u, ''));
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    const kind = typeof mimeType === 'string' ? oneLine(mimeType) : 'of no type';
    return [`(${type}, ${kind}, ${count(Math.floor((data.length * 3) / 4))} bytes)`];
  }
  return textLines(textOf(part) ?? '');
}

function marked(mark: string, text: string | undefined): string[] {
  return text === undefined ? [] : textLines(text).map((line) => `    ${mark} ${line}`);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
