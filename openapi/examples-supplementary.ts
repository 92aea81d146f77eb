/** Examples of the operations about supplementary context. */
import type { OperationExample } from './examples.ts';

const item = {
  id: '3f1c9a5e7b2d4c6088aa91b3d5e7f902',
  kind: 'file' as const,
  path: '/home/ada/project/src/button.ts',
  relativePath: 'src/button.ts',
  addedAt: '2026-01-05T08:31:00.000Z',
  enabled: true,
  disabledReasons: [],
};
const gone = {
  id: 'a07c51d2e4f84b3f9d60c2b7a8e91f35',
  kind: 'tab' as const,
  path: '/home/ada/project/src/old.ts',
  relativePath: 'src/old.ts',
  addedAt: '2026-01-05T08:32:00.000Z',
  enabled: false,
  disabledReasons: [{ code: 'not_found' }],
};
const etag = '5d41402abc4b2a76b9719d911017c592';
const query = { mountedDirectory: '~/project' };

export const supplementaryExamples: Readonly<Record<string, OperationExample>> = {
  listSupplementary: { query, answer: { items: [item, gone], etag } },
  addSupplementary: { body: { mountedDirectory: '~/project', kind: 'file', path: 'src/button.ts' }, answer: item },
  replaceSupplementary: {
    headers: { 'if-match': `"${etag}"` },
    body: {
      mountedDirectory: '~/project',
      items: [
        { kind: 'file', path: 'src/button.ts' },
        { kind: 'tab', path: 'src/old.ts' },
      ],
    },
    answer: { items: [item, gone], etag },
  },
  removeSupplementary: { path: { id: item.id } },
  clearSupplementary: { query },
  searchWorkspaceFiles: {
    body: { mountedDirectory: '~/project', query: 'button' },
    answer: {
      files: [{ path: item.path, relativePath: item.relativePath, score: 0.88, enabled: true, disabledReasons: [] }],
      warnings: [],
    },
  },
};
