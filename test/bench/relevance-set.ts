/** The relevance set of this project: items and questions about them, with the items that answer each. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SearchItem } from '../../src/search/search-item.ts';

export type QuestionKind = 'natural' | 'paraphrase' | 'unrelated-software' | 'unrelated-other';

/** `expected` is the name of an item; nothing for a question that is about none. */
export type Question = { text: string; kind: QuestionKind; expected?: string };

/** Items, and questions that are asked about them. */
export type Catalogue = { items: readonly SearchItem[]; questions: readonly Question[] };

export type Half = 'choosing' | 'reporting';

type QuestionsFile = {
  about: Record<string, { natural: string[]; paraphrase: string[] }>;
  unrelated: { software: string[]; other: string[] };
};

const folder = new URL('../../fixtures/relevance/', import.meta.url);

export function readItems(): SearchItem[] {
  const parts = readFileSync(new URL('items.md', folder), 'utf8').split(/^=== /mu).slice(1);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const [, type, name, serverName, description] =
      /^(rule|reference|tool) (\S+?)(?: @(\S+?))?: (.+)$/u.exec(part.slice(0, end)) ?? [];
    if (name === undefined || description === undefined) throw new Error(`No item: ${part.slice(0, end)}`);
    return {
      type: type as SearchItem['type'],
      name,
      ...(serverName === undefined ? {} : { serverName }),
      description,
      text: part.slice(end).trim(),
      sha256: createHash('sha256').update(part).digest('hex'),
    };
  });
}

export function readQuestions(): Question[] {
  const { about, unrelated } = JSON.parse(readFileSync(new URL('questions.json', folder), 'utf8')) as QuestionsFile;
  return [
    ...Object.entries(about).flatMap(([expected, { natural, paraphrase }]) => [
      ...natural.map((text) => ({ text, kind: 'natural' as const, expected })),
      ...paraphrase.map((text) => ({ text, kind: 'paraphrase' as const, expected })),
    ]),
    ...unrelated.software.map((text) => ({ text, kind: 'unrelated-software' as const })),
    ...unrelated.other.map((text) => ({ text, kind: 'unrelated-other' as const })),
  ];
}

/**
 * 20 catalogues of 15 items that are asked about, each with the questions about its items and all unrelated ones.
 * Hashes of the names decide which items these are.
 */
export function smallCataloguesOf({ items, questions }: Catalogue): Catalogue[] {
  const expected = new Set(questions.map((question) => question.expected));
  const asked = items.filter(({ name }) => expected.has(name));
  return Array.from({ length: 20 }, (_, number) => {
    const placeOf = ({ name }: SearchItem): string => createHash('sha256').update(`${number} ${name}`).digest('hex');
    const chosen = asked.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)).slice(0, 15);
    const names = new Set<string | undefined>([undefined, ...chosen.map(({ name }) => name)]);
    return { items: chosen, questions: questions.filter((question) => names.has(question.expected)) };
  });
}

/** Which half a question belongs to: settings are chosen on one and reported on the other. */
export function halfOf({ text }: Question): Half {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0 ? 'choosing' : 'reporting';
}
