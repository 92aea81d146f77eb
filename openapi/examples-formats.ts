import type { OperationExample } from './examples.ts';

const cursorRule = {
  path: '/home/ada/project/.cursor/rules/style.mdc',
  relativePath: '.cursor/rules/style.mdc',
  format: 'cursor',
  name: '.cursor/rules/style',
  trigger: 'auto',
  globs: ['**/*.ts'],
  state: 'active',
  reason: { code: 'glob_matched', detail: '**/*.ts ↔ src/button.ts' },
  tokens: 3,
};

/** `putFormats` needs a project without a configuration. */
export const formatExamples: Readonly<Record<string, OperationExample>> = {
  convertContext: {
    body: { mountedDirectory: '~/project', to: 'cursor' },
    answer: {
      mountedDirectory: '/home/ada/project',
      to: 'cursor',
      files: [
        {
          path: '.cursor/rules/style.mdc',
          content:
            '---\ndescription: How TypeScript is written here\nglobs: **/*.ts\nalwaysApply: false\n---\nUse tabs.\n',
          from: ['.context/style.md'],
        },
      ],
      present: [],
      lost: [],
      left: [],
      warnings: [],
    },
  },
  listFormats: {
    query: {
      mountedDirectory: '~/project',
      file: 'src/button.ts',
      workingDirectory: 'src',
      as: 'cursor',
      with: 'agents-md',
      without: 'cursor',
    },
    answer: {
      mountedDirectory: '/home/ada/project',
      formats: [{ name: 'cursor', tool: 'Cursor', isRead: true, files: 2, active: 1, duplicates: 0, tokens: 3 }],
      files: [cursorRule],
      tools: [
        {
          tool: 'cursor',
          name: 'Cursor',
          formats: ['cursor'],
          files: ['.cursor/rules/style.mdc'],
          waiting: ['.cursor/rules/python.mdc'],
          links: [],
          linkCount: 0,
          tokens: 3,
        },
      ],
      as: [cursorRule],
      change: {
        configuration: '/home/ada/project/.context/context-config.json',
        etag: '3d9e0f51c2b84a67a1f0c6d7e8b92354-48',
        present: ['cursor'],
        formats: 'none',
        files: [
          {
            path: '/home/ada/project/.cursor/rules/style.mdc',
            relativePath: '.cursor/rules/style.mdc',
            format: 'cursor',
            tokens: 3,
            before: { state: 'active', reason: { code: 'glob_matched', detail: '**/*.ts ↔ src/button.ts' } },
          },
        ],
        servers: [],
        before: { active: 1, tokens: 3 },
        after: { active: 0, tokens: 0 },
      },
      usage: { active: 1, tokens: 3, alwaysOnTokens: 0, suggestedBudget: 1000 },
      warnings: [],
    },
  },
  putFormats: {
    headers: { 'if-match': '"3d9e0f51c2b84a67a1f0c6d7e8b92354-48"', 'if-none-match': '*' },
    body: { mountedDirectory: '~/project', formats: ['agents-md', 'cursor'] },
    answer: {
      configuration: '/home/ada/project/.context/context-config.json',
      formats: ['agents-md', 'cursor'],
      etag: '5d0a1c97be4f4e0c9f6b7d21a83c5e60-60',
    },
  },
};
