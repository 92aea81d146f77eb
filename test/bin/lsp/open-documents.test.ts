import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { describeDocuments, type EditedDocument } from '../../../src/bin/lsp/open-documents.ts';

const edited = (uri: string, { isSaved = false, changedAt = 0, text = uri } = {}): EditedDocument => ({
  document: TextDocument.create(uri, 'x', 1, text),
  isSaved,
  changedAt,
});
const numbers = (count: number): number[] => [...Array(count).keys()];

describe('what an editor has open, as a request says it', () => {
  it('has what is not saved before what only was opened, and says what finds no room', () => {
    const saved = numbers(200).map((each) =>
      edited(`file:///p/saved-${each}`, { isSaved: true, changedAt: 500 + each }),
    );
    const others = numbers(50).map((each) => edited(`untitled:${each}`, { changedAt: 900 }));
    const unsaved = numbers(300).map((each) => edited(`file:///p/${each}`, { changedAt: each }));
    const { documents, warnings } = describeDocuments([...saved, ...others, ...unsaved], { path: '/p/elsewhere' });
    expect(documents).toHaveLength(256);
    expect(documents[0]).toEqual({ path: '/p/elsewhere', isActive: true });
    expect(documents.slice(1).map(({ path }) => path)).toEqual(numbers(255).map((each) => `/p/${299 - each}`));
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(
      numbers(45).map((each) => `limit_total_bytes /p/${44 - each}`),
    );
  });

  it('leaves a text that is too large to the disk, and says so', () => {
    const large = edited('file:///p/large', { text: 'x'.repeat(20 * 1024 * 1024), changedAt: 2 });
    const { documents, warnings } = describeDocuments([edited('file:///p/a', { text: 'a' }), large], undefined);
    expect(documents).toEqual([
      { path: '/p/large', language: 'x' },
      { path: '/p/a', language: 'x', content: 'a' },
    ]);
    expect(warnings).toEqual([expect.objectContaining({ code: 'limit_total_bytes', path: '/p/large' })]);
  });

  it('has the document in focus first, with its place', () => {
    const position = { line: 3, character: 4 };
    const open = [edited('file:///p/new', { changedAt: 5 }), edited('file:///p/focus', { isSaved: true })];
    const { documents } = describeDocuments(open, { path: '/p/focus', position });
    expect(documents).toEqual([
      { path: '/p/focus', language: 'x', isActive: true, cursor: { line: 3, column: 4 } },
      { path: '/p/new', language: 'x', content: 'file:///p/new' },
    ]);
  });
});
