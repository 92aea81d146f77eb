/**
 * Two relevance sets of rule files and skills of public repositories, and questions about them. Only names and hashes
 * of the files are kept here. What is not in `.cache/relevance` is fetched.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readContextFile } from '../../src/context/front-matter.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { fixedLimits } from '../../src/settings.ts';
import type { Catalogue, Half } from './relevance-set.ts';

/** No setting is chosen by `unseen`. */
export type DocumentSet = 'real' | 'unseen';

/** `files`: SHA-256 by path. `document` of a question: repository and path. `unseen` has no questions to choose by. */
export type DocumentsFile = {
  documents: { repository: string; commit: string; files: Record<string, string> }[];
  choosing?: QuestionsOfHalf;
  reporting: QuestionsOfHalf;
};
type QuestionsOfHalf = {
  about: { document: string; natural: string; paraphrase: string }[];
  unrelated: { software: string[]; other: string[] };
};

const folder = new URL('../../fixtures/relevance/', import.meta.url);
const cache = fileURLToPath(new URL('../../.cache/relevance/', import.meta.url));
const parallelFetches = 8;

export const readDocumentsFile = (name: DocumentSet): DocumentsFile =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as DocumentsFile;

/** Throws where the set has no such half, or a file is another one, or neither in the cache nor to be fetched. */
export async function readDocuments(name: DocumentSet, half: Half): Promise<Catalogue> {
  const set = readDocumentsFile(name);
  const asked = set[half];
  if (asked === undefined) throw new Error(`${name}.json has no ${half} half.`);
  mkdirSync(cache, { recursive: true });
  const wanted = set.documents.flatMap(({ repository, commit, files }) =>
    Object.entries(files).map(([path, sha256]) => ({ repository, commit, path, sha256 })),
  );
  const items: SearchItem[] = [];
  for (let at = 0; at < wanted.length; at += parallelFetches) {
    const batch = wanted.slice(at, at + parallelFetches);
    const texts = await Promise.all(batch.map(textOf));
    for (const [index, { path, sha256 }] of batch.entries())
      items.push({ type: 'rule', name: nameOf(path), ...described(texts[index] as string, path), sha256 });
  }
  const { about, unrelated } = asked;
  const questions = [
    ...about.flatMap(({ document, natural, paraphrase }) => [
      { text: natural, kind: 'natural' as const, expected: nameOf(document) },
      { text: paraphrase, kind: 'paraphrase' as const, expected: nameOf(document) },
    ]),
    ...unrelated.software.map((text) => ({ text, kind: 'unrelated-software' as const })),
    ...unrelated.other.map((text) => ({ text, kind: 'unrelated-other' as const })),
  ];
  return { items, questions };
}

type Wanted = { repository: string; commit: string; path: string; sha256: string };

async function textOf({ repository, commit, path, sha256 }: Wanted): Promise<string> {
  try {
    return readFileSync(cache + sha256, 'utf8');
  } catch {
    const place = `${repository}/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await fetch(`https://raw.githubusercontent.com/${place}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const found = createHash('sha256').update(bytes).digest('hex');
    if (!answer.ok || found !== sha256) throw new Error(`${place} is not what it was: ${answer.status}, ${found}`);
    writeFileSync(cache + sha256, bytes);
    return bytes.toString('utf8');
  }
}

/** No two documents of one set have the same. */
export function nameOf(path: string): string {
  const [file = '', folder = ''] = path.split('/').reverse();
  return file === 'SKILL.md' ? folder : file.replace(/\..*$/u, '');
}

/** As contextd reads a rule file. */
export function described(text: string, path: string): Pick<SearchItem, 'description' | 'text'> {
  const { frontMatterBytes } = fixedLimits.request;
  const { description = '', body } = readContextFile(text.replace(/^\uFEFF/u, ''), { path, frontMatterBytes }).value;
  return { description, text: body };
}
