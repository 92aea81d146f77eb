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
    query: { mountedDirectory: '~/project', file: 'src/button.ts', as: 'cursor' },
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
          tokens: 3,
        },
      ],
      as: [cursorRule],
      usage: { active: 1, tokens: 3, alwaysOnTokens: 0, suggestedBudget: 1000 },
      warnings: [],
    },
  },
};
