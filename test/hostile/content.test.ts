/** Files that are no text, too much text, endless, or say something that nobody sees. */
import { appendFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { attackDaemon, attackWith, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();
const limit = 1024 * 1024;
const head = always('');

type Expected = Omit<HostileCase, 'name'>;

const fixture = (row: string, name: string, expected: Expected): HostileCase => ({
  name: `${row} fixtures/hostile/${name}`,
  build: (tree) => tree.fixture('.context/x.md', name),
  ...expected,
});
const text = (name: string, expected: Expected) => fixture('S-43 CC-31', `text/${name}.md`, expected);
const left = (code: string): Expected => ({ excluded: { 'x.md': code } });
const body = (content: string): Expected => ({ files: { 'x.md': 'active' }, bodies: { 'x.md': content } });
const asText: Expected = { files: { 'x.md': 'available' } };

attackWith('bytes', attack, [
  text('utf-16-le', left('invalid_utf8')),
  text('utf-16-be', left('invalid_utf8')),
  text('utf-16-le-without-mark', left('binary')),
  text('utf-32-le', left('invalid_utf8')),
  text('nul', left('binary')),
  text('nul-at-end', left('binary')),
  text('picture', left('binary')),
  text('lone-lead-byte', left('invalid_utf8')),
  text('lone-continuation', left('invalid_utf8')),
  text('overlong-slash', left('invalid_utf8')),
  text('overlong-nul', left('invalid_utf8')),
  text('surrogate', left('invalid_utf8')),
  text('beyond-unicode', left('invalid_utf8')),
  text('latin-1', left('invalid_utf8')),
  text('mark', body('Body.\n')),
  text('two-marks', asText),
  text('mark-only', { ...asText }),
  text('windows-lines', body('Body.\r\nEnd.\r\n')),
  text('mixed-lines', body('One\r\nTwo\rThree\n')),
  text('carriage-returns-only', asText),
  text('no-end-of-line', body('Body.')),
  text('empty', asText),
  text('line-separators', { ...body('One\u2028Two\u2029Three\u0085\n'), warnings: ['suspicious_unicode x.md'] }),
  text('noncharacters', body('Body \uffff\ufdd0\n')),
  {
    name: 'S-43 a .txt with front matter is text from its first byte',
    build: (tree) => tree.write('.context/x.txt', always('Body.')),
    request: { mentions: ['x'] },
    files: { 'x.txt': 'active' },
    bodies: { 'x.txt': always('Body.') },
  },
]);

const suspicious: Expected = { files: { 'x.md': 'active' }, warnings: ['suspicious_unicode x.md'] };
const hidden = ['bidi-override', 'bidi-isolate', 'zero-width-space', 'zero-width-joiner', 'word-joiner'];
hidden.push('tag-characters', 'variation-selectors', 'soft-hyphen', 'hangul-filler', 'invisible-plus', 'mark-inside');
hidden.push('control', 'c1-control', 'confusable');

attackWith('what nobody sees', attack, [
  ...hidden.map((name) => fixture('S-65', `hidden/${name}.md`, suspicious)),
  fixture('S-65', 'hidden/clean-emoji.md', { files: { 'x.md': 'active' } }),
  fixture('S-65', 'hidden/clean-persian.md', { files: { 'x.md': 'active' } }),
  {
    name: 'S-65 1 MB of characters that nobody sees',
    build: (tree) => tree.write('.context/x.md', `${head}${'\u200b'.repeat(340_000)}`),
    ...suspicious,
    also: ({ warnings }) => expect(warnings[0]?.message.length).toBeLessThan(1_000),
  },
  {
    name: 'S-65 1 MB of letters that look like others',
    build: (tree) => tree.write('.context/x.md', `${head}${'p\u0430y '.repeat(200_000)}`),
    ...suspicious,
  },
  {
    name: 'S-65 in a configuration they are only text, and never break the answer',
    build: (tree) => tree.config({ clientContext: { excludeFiles: ['\u202e*\u0000', '\u200b.md'] } }),
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['invalid_config_value context-config.json'],
  },
]);

/** A file that becomes active and has so many bytes. */
const sized = (name: string, bytes: number, expected: Expected): HostileCase => ({
  name,
  build: (tree) => tree.write('.context/x.md', head.padEnd(bytes, 'x y ')),
  ...expected,
});
const truncated = (bytes: number): Expected => ({
  files: { 'x.md': 'active' },
  warnings: ['file_truncated x.md'],
  also({ files }) {
    const [file] = files.filter(({ path }) => path.endsWith('/x.md'));
    expect(file).toMatchObject({ truncated: true, bytes });
    expect(Buffer.byteLength(file?.content ?? '')).toBeLessThanOrEqual(limit);
    expect(file?.content).not.toContain('\ufffd');
  },
});
/** 1 MiB of one thing, which a tokenizer may find hard. */
const uniform = (what: string, unit: string): HostileCase => ({
  name: `S-42 1 MiB of ${what}`,
  build: (tree) => tree.write('.context/x.md', head + unit.repeat(Math.floor((limit - 64) / Buffer.byteLength(unit)))),
  files: { 'x.md': 'active' },
});

attackWith('size', attack, [
  sized('S-42 one byte less than the limit', limit - 1, { files: { 'x.md': 'active' } }),
  sized('S-42 exactly the limit', limit, { files: { 'x.md': 'active' } }),
  sized('S-42 one byte more than the limit', limit + 1, truncated(limit + 1)),
  ...[1, 2, 3].map(
    (shift): HostileCase => ({
      name: `S-42 CC-35 the limit inside a character of four bytes, after ${shift}`,
      build: (tree) => tree.write('.context/x.md', `${head.padEnd(limit - shift, 'x')}\u{1F600}end`),
      ...truncated(limit - shift + 7),
    }),
  ),
  {
    name: 'S-42 10 GiB without content',
    build: (tree) => tree.sparse('.context/x.md', 10 * 1024 ** 3, head),
    excluded: { 'x.md': 'binary' },
  },
  {
    name: 'S-42 CC-06 seventy of them: what is read is limited too, whatever it turns out to be',
    build(tree) {
      for (let i = 10; i < 80; i += 1) tree.sparse(`.context/${i}.md`, 10 * 1024 ** 3);
    },
    alone: true,
    excluded: Object.fromEntries(
      Array.from({ length: 70 }, (_, i) => [`${i + 10}.md`, i < 64 ? 'binary' : 'limit_reached']),
    ),
    warnings: ['limit_total_bytes'],
  },
  {
    name: 'S-42 1 MiB of text before 10 GiB of nothing',
    build: (tree) => tree.sparse('.context/x.md', 10 * 1024 ** 3, head.padEnd(limit + 10, 'x y ')),
    ...truncated(10 * 1024 ** 3),
  },
  {
    name: 'S-42 CC-06 more than an answer may hold: the path decides, and all is told',
    build(tree) {
      for (let i = 0; i < 10; i += 1) tree.write(`.context/big-${i}.md`, head.padEnd(limit, 'x y '));
    },
    files: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`big-${i}.md`, i < 8 ? 'active' : 'available'])),
    alone: true,
    warnings: ['limit_total_bytes'],
  },
  uniform('one letter', 'a'),
  uniform('blanks', ' '),
  uniform('line ends', '\n'),
  uniform('exclamation marks', '!'),
  uniform('emoji', '\u{1F600}'),
  uniform('combining marks', '\u0301'),
  uniform('Chinese', '\u6f22'),
  {
    name: 'S-42 1 MiB of a number without end',
    build: (tree) => tree.write('.context/x.md', head + '9'.repeat(limit - 64)),
    files: { 'x.md': 'active' },
  },
  {
    name: 'S-42 a file that grows while it is read comes whole to the limit, or is left out with a reason',
    build: (tree) => tree.write('.context/x.md', head.padEnd(limit - 2_000, 'x y ')),
    files: { 'x.md': 'active' },
    async also(_, tree, { resolve }) {
      let growing = true;
      const grow = (async () => {
        while (growing) {
          appendFileSync(tree.path('.context/x.md'), 'more '.repeat(20));
          await turn();
        }
      })();
      try {
        for (let i = 0; i < 10; i += 1) {
          const { status, files, excluded } = await resolve(tree);
          expect(status).toBe(200);
          const content = files.find(({ path }) => path.endsWith('/x.md'))?.content;
          if (content === undefined) expect(excluded).toMatchObject([{ reason: { code: 'unreadable' } }]);
          else expect(content).toMatch(/^(?:x y )+(?:x|x |x y)?(?:more )*(?:mor?e?)?$/u);
        }
      } finally {
        growing = false;
        await grow;
      }
    },
  },
]);
