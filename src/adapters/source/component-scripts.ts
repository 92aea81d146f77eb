/** Finds the scripts of components of Vue, Svelte and Astro, which are TypeScript or JavaScript inside other text. */
import type { Definition, SourceLanguage } from '../../ports/parsed-source.ts';
import { blank } from './blank-text.ts';
import { fitDefinition } from './definition-text.ts';

export type ComponentLanguage = Extract<SourceLanguage, 'astro' | 'svelte' | 'vue'>;

const openingTag = /<!--|<script(?=[\s>])/giu;
const closingTag = /<\/script/giu;
const endOfComment = /-->/gu;
/** In such a script there is no code. */
const dataType = /\stype=["']?(?:application\/(?:ld\+)?json|importmap|speculationrules)/iu;
const frontMatter = /^\s{0,100}---[^\S\n]{0,100}\n/u;
const fence = /^---/gmu;

/** The text with spaces in the place of all that is no script, so that lines and offsets are the same. */
export function onlyScripts(text: string, language: ComponentLanguage): string {
  let only = '';
  for (const { start, end } of scriptsIn(text, language))
    only += blank(text.slice(only.length, start)) + text.slice(start, end);
  return only + blank(text.slice(only.length));
}

/** The text with spaces in the place of the scripts. */
export function onlyMarkup(text: string, language: ComponentLanguage): string {
  let only = '';
  for (const { start, end } of scriptsIn(text, language))
    only += text.slice(only.length, start) + blank(text.slice(start, end));
  return only + text.slice(only.length);
}

/** A component of at most this many lines is shown whole. Of a longer one, so many lines of its scripts are shown. */
const wholeLines = 60;
const scriptLines = 120;

/**
 * A long component as a definition: its scripts, which have its properties, without the markup. `found`: the
 * definitions in the scripts. Undefined if the component is short, or if an exported object says what it is.
 */
export function longComponent(
  text: string,
  language: ComponentLanguage,
  found: readonly Definition[],
): Definition | undefined {
  const lines = text.trimEnd().split('\n').length;
  if (lines <= wholeLines) return undefined;
  const all = scriptsIn(text, language);
  // Scripts in the markup of Astro run in the browser.
  const scripts = language === 'astro' ? all.filter(({ start }) => start === frontMatterEnd(text)) : all;
  const isExported = found.some(({ name }) => name === 'default');
  if (scripts.length === 0 || (isExported && scripts.length === 1)) return undefined;
  const shown: string[] = [];
  let at = 0;
  for (const { from, to } of scripts) {
    if (text.slice(at, from).trim() !== '') shown.push('…');
    shown.push(text.slice(from, to).trim());
    at = to;
  }
  if (text.slice(at).trim() !== '') shown.push('…');
  const kept = shown.join('\n').split('\n', scriptLines + 1);
  const told = kept.length > scriptLines ? [...kept.slice(0, scriptLines), '…'] : kept;
  return { name: 'default', startLine: 1, endLine: lines, text: fitDefinition('', told.join('\n')) };
}

/** `start` and `end` without the tags, `from` and `to` with them. */
type Script = { from: number; start: number; end: number; to: number };

/** A script that is not closed goes to the end of the text. */
function scriptsIn(text: string, language: ComponentLanguage): Script[] {
  const scripts: Script[] = [];
  const top = language === 'astro' ? frontMatterEnd(text) : undefined;
  if (top !== undefined) {
    const end = nextMatch(fence, text, top)?.index ?? text.length;
    scripts.push({ from: 0, start: top, end, to: Math.min(end + 3, text.length) });
  }
  let at = scripts[0]?.end ?? 0;
  for (;;) {
    const opening = nextMatch(openingTag, text, at);
    if (opening === undefined) return scripts;
    const from = opening.index;
    if (opening[0] === '<!--') {
      at = nextMatch(endOfComment, text, from)?.index ?? text.length;
      continue;
    }
    const start = endOfTag(text, from);
    if (start === undefined) return scripts;
    const tag = text.slice(from, start);
    at = tag.endsWith('/>') ? start : (nextMatch(closingTag, text, start)?.index ?? text.length);
    const close = text.indexOf('>', at);
    if (at > start && !dataType.test(tag))
      scripts.push({ from, start, end: at, to: close < 0 ? text.length : close + 1 });
  }
}

function frontMatterEnd(text: string): number | undefined {
  return frontMatter.exec(text)?.[0].length;
}

/**
 * Attributes may contain `>` in quotes, as types in `generic="…"` do, and in braces, as functions do. Undefined if the
 * tag has no end.
 */
function endOfTag(text: string, start: number): number | undefined {
  let quote: string | undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === '>' && depth <= 0) return at + 1;
  }
  return undefined;
}

function nextMatch(pattern: RegExp, text: string, from: number): RegExpExecArray | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text) ?? undefined;
}
