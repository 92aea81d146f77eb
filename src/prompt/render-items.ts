/** Renders items as one text. The content of an item cannot end the item or begin another one. */
import { escapeXml } from '../texts/escape-xml.ts';
import type { ContextRequest } from './context-request.ts';
import type { ContextItem, ContextKind } from './context-result.ts';

export type Rendering = NonNullable<ContextRequest['render']>;
type Rendered = Pick<ContextItem, 'kind' | 'name' | 'path' | 'range' | 'language' | 'content'>;

const titles: Readonly<Record<ContextKind, string>> = {
  rule: 'Rule',
  reference: 'Reference',
  tool: 'Tool',
  map: 'Files of the workspace',
  supplementary: 'File',
  tab: 'Open file',
  definition: 'Imported definitions',
  file: 'Imported file',
  search: 'Found',
  changes: 'Changes since the last commit',
};

/** One item of the text. Without rendering, only its content. */
export function renderItem(item: Rendered, rendering: Rendering): string {
  if (rendering === 'none') return item.content;
  return rendering === 'markdown' ? markdownOf(item) : xmlOf(item);
}

/** A content as it appears inside an item, without the text around it. */
export function contentIn(content: string, rendering: Rendering): string {
  return rendering === 'xml' ? content.replace(ownElements, '&lt;') : content;
}

/** The whole text, from rendered items. */
export function joinRendered(parts: readonly string[], rendering: Exclude<Rendering, 'none'>): string {
  return rendering === 'markdown' ? parts.join('\n') : `<context>\n${parts.join('')}</context>\n`;
}

/** The tokens of the text around all items, rounded up. */
export const frameTokens: Readonly<Record<Rendering, number>> = { none: 0, markdown: 0, xml: 8 };

function markdownOf({ kind, name, range, language = '', content }: Rendered): string {
  const lines = range === undefined ? '' : ` (lines ${range.startLine}–${range.endLine})`;
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  const info = /^[\w+#.-]+$/u.test(language) ? language : kind === 'rule' || kind === 'reference' ? 'markdown' : '';
  return `## ${titles[kind]}: ${harmlessName(name)}${lines}\n\n${fence}${info}\n${withEnd(content)}${fence}\n`;
}

function xmlOf({ kind, name, path, range, content }: Rendered): string {
  const attributes = [
    ['name', name],
    ...(path === undefined ? [] : [['path', path]]),
    ...(range === undefined ? [] : [['lines', `${range.startLine}-${range.endLine}`]]),
  ].map(([key, value]) => ` ${key}="${escapeXml(harmlessName(value as string))}"`);
  return `<${kind}${attributes.join('')}>\n${withEnd(contentIn(content, 'xml'))}</${kind}>\n`;
}

/** The beginning of a tag with the name of one of contextd's elements. */
const ownElements =
  /<(?=\/?(?:context|rule|reference|tool|map|supplementary|tab|definition|file|search|changes)(?![\w-]))/giu;

/**
 * A name can be any path. Line breaks, backticks and control characters, also those of the writing direction, become
 * spaces.
 */
export function harmlessName(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029`]/gu, ' ');
}

function withEnd(content: string): string {
  return content === '' || content.endsWith('\n') ? content : `${content}\n`;
}

/** The length of the longest run of backticks. */
function longestRun(content: string): number {
  let longest = 0;
  let run = 0;
  for (let at = content.indexOf('`'); at >= 0 && at < content.length; at += 1) {
    if (content[at] === '`') {
      run += 1;
      longest = Math.max(longest, run);
      continue;
    }
    run = 0;
    const next = content.indexOf('`', at);
    if (next < 0) break;
    at = next - 1;
  }
  return longest;
}
