/**
 * The second relevance set: rule files and skills of public repositories, which only their names and hashes are kept of
 * here, and questions about them. What is not in `.cache/relevance` is fetched.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { splitFrontMatter } from '../../src/context/front-matter.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { parseForeignYaml } from '../../src/texts/yaml-source.ts';
import type { Half, Question } from './relevance-set.ts';

/** `files`: SHA-256 by path. `document` of a question: repository and path. */
export type DocumentsFile = {
  documents: { repository: string; commit: string; files: Record<string, string> }[];
} & Record<Half, HalfOfFile>;
type HalfOfFile = {
  about: { document: string; natural: string; paraphrase: string }[];
  unrelated: { software: string[]; other: string[] };
};

const file = new URL('../../fixtures/relevance/real.json', import.meta.url);
const cache = fileURLToPath(new URL('../../.cache/relevance/', import.meta.url));
const parallelFetches = 8;

/** Throws where a file can be had neither from the cache nor from the network, or is another one. */
export async function readDocuments(): Promise<{ items: SearchItem[]; questionsOf: (half: Half) => Question[] }> {
  const set = JSON.parse(readFileSync(file, 'utf8')) as DocumentsFile;
  mkdirSync(cache, { recursive: true });
  const wanted = set.documents.flatMap(({ repository, commit, files }) =>
    Object.entries(files).map(([path, sha256]) => ({ repository, commit, path, sha256 })),
  );
  const items: SearchItem[] = [];
  for (let at = 0; at < wanted.length; at += parallelFetches) {
    const batch = wanted.slice(at, at + parallelFetches);
    const texts = await Promise.all(batch.map(textOf));
    for (const [index, { path, sha256 }] of batch.entries())
      items.push({ type: 'rule', name: nameOf(path), ...described(texts[index] as string), sha256 });
  }
  const questionsOf = (half: Half): Question[] => {
    const { about, unrelated } = set[half];
    return [
      ...about.flatMap(({ document, natural, paraphrase }) => [
        { text: natural, kind: 'natural' as const, expected: nameOf(document) },
        { text: paraphrase, kind: 'paraphrase' as const, expected: nameOf(document) },
      ]),
      ...unrelated.software.map((text) => ({ text, kind: 'unrelated-software' as const })),
      ...unrelated.other.map((text) => ({ text, kind: 'unrelated-other' as const })),
    ];
  };
  return { items, questionsOf };
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

/** No two of these documents have one. */
export function nameOf(path: string): string {
  const [file = '', folder = ''] = path.split('/').reverse();
  return file === 'SKILL.md' ? folder : file.replace(/\..*$/u, '');
}

function described(text: string): Pick<SearchItem, 'description' | 'text'> {
  const { block = '', body = text } = splitFrontMatter(text.replace(/^\uFEFF/u, '')) ?? {};
  const root = parseForeignYaml(block)?.value;
  const description = root instanceof Map ? root.get('description')?.node.value : undefined;
  return { description: typeof description === 'string' ? description : '', text: body };
}
