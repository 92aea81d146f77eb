/** Examples of what goes with a prompt: the active document as the editor shows it, with one import and one file that a policy blocks. */
import type { OperationExample } from './examples.ts';

export const retrievalExamples: Readonly<Record<string, OperationExample>> = {
  gatherContext: {
    body: {
      mountedDirectory: '~/project',
      documents: [
        {
          path: 'src/cart.ts',
          content: "import { formatPrice } from './price.ts';\n\nconsole.log(formatPrice(1));\n",
          cursor: { line: 2, column: 14 },
          isActive: true,
        },
      ],
      query: 'how are discounts rounded?',
      budget: { maxTokens: 8_000 },
      render: 'markdown',
    },
    answer: {
      items: [
        {
          kind: 'rule',
          name: 'AGENTS',
          path: '/home/ada/project/AGENTS.md',
          format: 'agents-md',
          reason: { code: 'trigger_always' },
          tokens: 24,
          sha256: '6f2b7c0f5e0f4d0f8f0d1a7c2b9e4d3c5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d',
          truncated: false,
          content: 'Money is counted in cents.\n',
        },
        {
          kind: 'definition',
          name: 'src/price.ts',
          path: '/home/ada/project/src/price.ts',
          range: { startLine: 7, endLine: 9 },
          language: 'typescript',
          reason: { code: 'imported', detail: 'by the active document' },
          tokens: 41,
          sha256: '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9',
          truncated: false,
          content: 'export function formatPrice(cents: number): string {\n  return (cents / 100).toFixed(2);\n}',
        },
      ],
      omitted: [
        {
          kind: 'search',
          path: '/home/ada/project/src/rounding.ts',
          reason: {
            code: 'blocked_by_policy',
            detail: '/home/ada/project/.ai-context-policy.yaml, "src/rounding.ts", line 3',
          },
        },
      ],
      usage: { tokens: 65, maxTokens: 8_000, kinds: { rule: 24, definition: 41 } },
      activeDocument: { allowed: true },
      semantic: { status: 'ready', engine: 'keyword' },
      warnings: [],
      digest: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
      text: '## Rule: AGENTS\n\n```markdown\nMoney is counted in cents.\n```\n\n## Imported definitions: src/price.ts (lines 7–9)\n\n```typescript\nexport function formatPrice(cents: number): string {\n  return (cents / 100).toFixed(2);\n}\n```\n',
    },
  },
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
