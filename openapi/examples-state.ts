/** An example of the operation that exports all state. */
import { writeExport } from '../src/ports/store/export.ts';
import type { OperationExample } from './examples.ts';

const root = {
  path: '/home/ada/project',
  granted_at: '2026-01-05T08:31:00.000Z',
  hash: 'f5fdba4a4e8c2f7bb1ef2bbf3a2f1a2cdc06b4d0f4e58f44c0a0f2fd5a3bd6a1',
};
const header = { schema: 10, writtenBy: 'contextd 0.1.0', createdAt: '2026-01-05T09:00:00.000Z' };

export const stateExamples: Readonly<Record<string, OperationExample>> = {
  exportState: { answer: [...writeExport(header, [{ table: 'granted_roots', row: root }])].join('') },
};
