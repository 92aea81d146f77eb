/** What comments and titles of tests name is explained: ids, documents and limits. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../src/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = ['docs/requirements.md', 'docs/threats.md'];

const files = ['src', 'routes', 'test', 'openapi'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]sx?|json)$/u.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
);

const idsIn = (text: string): string[] => text.match(/\b(?:[A-Z]{2}-\d{2}|S-\d{2})\b/gu) ?? [];
const explained = documents.flatMap((path) =>
  [...read(path).matchAll(/^\| ([A-Z]{1,2}-\d{2}) \| \S/gmu)].map(([, id = '']) => id),
);

/** Documents of prose that a comment names. In backticks a name is an example, except for one in `docs/`. */
function documentsIn(comment: string): string[] {
  const prose = comment
    .replaceAll(/https?:\S+/gu, '')
    .replaceAll(/`([^`]*)`/gu, (_, name: string) => (name.startsWith('docs/') ? name : ''));
  return prose.match(/(?<![\w./-])[\w./-]{0,100}\w\.md\b/gu) ?? [];
}

const pages = ['', 'docs/', 'clients/'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`),
);
const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '');

/** How the headings of a document are linked to. */
function anchorsOf(path: string): string[] {
  return [...withoutCode(read(path)).matchAll(/^#+ (.+)$/gmu)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** `1.5 s` as 1500. */
function numberOf(text: string): number {
  const [number = '', unit = ''] = text.split(' ');
  const factors: Record<string, number> = { MiB: 2 ** 20, KiB: 2 ** 10, min: 60_000, s: 1_000 };
  return Number(number.replaceAll(',', '')) * (factors[unit] ?? 1);
}

/** The limits of a group by name; those of a group in it as `jvm.modules`. */
function numbersIn(group: object): [string, number][] {
  return Object.entries(group).flatMap(([name, value]): [string, number][] =>
    typeof value === 'number'
      ? [[name, value]]
      : numbersIn(value).map(([inner, number]) => [`${name}.${inner}`, number]),
  );
}

describe('what is written beside the code', () => {
  it('explains every id that the code and the tests use', () => {
    const unknown = files.flatMap((path) =>
      idsIn(read(path)).flatMap((id) => (explained.includes(id) ? [] : [`${path}: ${id}`])),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('explains each id once, in order, without a gap', () => {
    for (const ids of Map.groupBy(explained, (id) => id.replace(/-.*/u, '')).values())
      expect(ids).toEqual(ids.map((id, at) => id.replace(/\d+$/u, String(at + 1).padStart(2, '0'))));
  });

  it('finds the names of documents, and not those of examples', () => {
    const comment = 'As security.md says; see docs/a.md and `docs/b.md`, with `x.md` and rules.mdc.';
    expect(documentsIn(comment)).toEqual(['security.md', 'docs/a.md', 'docs/b.md']);
  });

  it('is there: no comment names a document that the repository does not have', () => {
    const missing = files
      .filter((path) => !path.endsWith('.json'))
      .flatMap((path) =>
        parseSync(path, read(path)).comments.flatMap(({ value }) =>
          documentsIn(value).flatMap((name) => (existsSync(join(root, name)) ? [] : [`${path}: ${name}`])),
        ),
      );
    expect(missing, 'the name of an example stands in backticks').toEqual([]);
  });

  it.each(Object.entries(fixedLimits))('gives the limits that hold: %s', (name, limits) => {
    const text = read('docs/threats.md');
    const table = text.split(`<!-- ${name} -->`)[1]?.split('<!--')[0] ?? '';
    const ofTable = [...table.matchAll(/^\| [^|]+ \| ([\d,.]+ ?\w*) \| `(\w+)` \|$/gmu)].map((row) => [row[2], row[1]]);
    const row = text.match(new RegExp(`^\\| [^|]+ \\| \`${name}\` \\| (.+) \\|$`, 'mu'))?.[1] ?? '';
    const ofRow = [...row.matchAll(/`([\w.]+)` ([\d,.]+ ?\w*)/gu)].map((each) => [each[1], each[2]]);
    const told = [...ofTable, ...ofRow].map(([key, value = '']) => [key, numberOf(value)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(numbersIn(limits)));
  });

  it('is named where it lies by CONTRIBUTING.md', () => {
    const named = read('CONTRIBUTING.md').matchAll(/`((?:src|routes|test|openapi|docs)\/[\w./-]*)`/gu);
    const paths = [...named].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has a row in CONTRIBUTING.md for every folder of the source', () => {
    const map = read('CONTRIBUTING.md');
    const folders = ['src', 'src/bin', 'routes'].flatMap((above) =>
      readdirSync(join(root, above), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map(({ name }) => `${above}/${name}`),
    );
    expect(folders.filter((folder) => !map.includes(`| \`${folder}/\` |`))).toEqual([]);
  });

  it('links to files and headings that are there', () => {
    const broken = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(([, link = '']) => {
        if (/^[a-z]+:/u.test(link)) return [];
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        const isThere = existsSync(join(root, target)) && (anchor === undefined || anchorsOf(target).includes(anchor));
        return isThere ? [] : [`${page}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});
