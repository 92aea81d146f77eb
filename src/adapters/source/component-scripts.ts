/** Finds the scripts of components of Vue, Svelte and Astro, which are TypeScript or JavaScript inside other text. */
import type { SourceLanguage } from '../../ports/parsed-source.ts';

export type ComponentLanguage = Extract<SourceLanguage, 'astro' | 'svelte' | 'vue'>;

const openingTag = /<script(?=[\s>])/giu;
const closingTag = /<\/script/giu;
const frontMatter = /^\s{0,100}---[^\S\n]{0,100}\n/u;
const fence = /^---/gmu;

/** The text with spaces in the place of all that is no script, so that lines and offsets are the same. */
export function onlyScripts(text: string, language: ComponentLanguage): string {
  let only = '';
  for (const [start, end] of scriptsIn(text, language))
    only += blank(text.slice(only.length, start)) + text.slice(start, end);
  return only + blank(text.slice(only.length));
}

/** The text with spaces in the place of the scripts. */
export function onlyMarkup(text: string, language: ComponentLanguage): string {
  let only = '';
  for (const [start, end] of scriptsIn(text, language))
    only += text.slice(only.length, start) + blank(text.slice(start, end));
  return only + text.slice(only.length);
}

/** Start and end of each script. One that is not closed goes to the end of the text. */
function scriptsIn(text: string, language: ComponentLanguage): [start: number, end: number][] {
  const scripts: [number, number][] = [];
  const top = language === 'astro' ? frontMatter.exec(text)?.[0].length : undefined;
  if (top !== undefined) scripts.push([top, nextMatch(fence, text, top)?.index ?? text.length]);
  for (;;) {
    const opening = nextMatch(openingTag, text, scripts.at(-1)?.[1] ?? 0);
    const start = opening && endOfTag(text, opening.index);
    if (start === undefined) return scripts;
    scripts.push([start, nextMatch(closingTag, text, start)?.index ?? text.length]);
  }
}

/** Quoted attributes may contain `>`, as types in `generic="…"` do. Undefined if the tag has no end. */
function endOfTag(text: string, start: number): number | undefined {
  let quote: string | undefined;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return undefined;
}

function nextMatch(pattern: RegExp, text: string, from: number): RegExpExecArray | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text) ?? undefined;
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
