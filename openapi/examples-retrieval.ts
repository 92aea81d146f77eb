/** An example of retrieval: the active document as the editor shows it, with one import and one file that a policy blocks. */
import type { OperationExample } from './examples.ts';

export const retrievalExamples: Readonly<Record<string, OperationExample>> = {
  retrieveContext: {
    body: {
      mountedDirectory: '~/project',
      activeDocument: { path: 'src/cart.ts', content: "import { formatPrice } from './price.ts';\n" },
      openTabs: ['src/checkout.ts', 'legal/contract.md'],
      budget: { maxTokens: 4_000 },
    },
    answer: {
      items: [
        {
          origin: 'open-tab',
          path: '/home/ada/project/src/checkout.ts',
          relativePath: 'src/checkout.ts',
          content: 'export const steps = ["address", "payment"];\n',
          language: 'typescript',
          tokens: 12,
          truncated: false,
        },
        {
          origin: 'import',
          path: '/home/ada/project/src/price.ts',
          relativePath: 'src/price.ts',
          content: 'export function formatPrice(cents: number): string { … }',
          language: 'typescript',
          tokens: 13,
          truncated: false,
          range: { startLine: 7, endLine: 34 },
        },
      ],
      omitted: [
        {
          origin: 'open-tab',
          path: '/home/ada/project/legal/contract.md',
          reason: {
            code: 'blocked_by_policy',
            detail: '/home/ada/project/.ai-context-policy.yaml, "legal/**", line 3',
          },
        },
      ],
      usage: { tokens: 25, maxTokens: 4_000 },
      warnings: [],
    },
  },
};
