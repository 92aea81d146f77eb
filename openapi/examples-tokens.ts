/** Examples of the operations about tokens. */
import type { OperationExample } from './examples.ts';

const token = {
  id: '7d3c1e9a5b2f4c6088aa91b3d5e7f902',
  scope: 'agent' as const,
  label: 'build agent',
  createdAt: '2026-01-05T08:31:00.000Z',
};

const use = { sessions: 3, storedBytes: 184_320, connections: 2, streams: 1 };
/** As the status of the daemon tells it. */
export const tokenFigures = {
  most: { sessions: 1_000, storedBytes: 268_435_456, connections: 256, streams: 250 },
  held: [{ id: token.id, label: token.label, use }],
};

export const tokenExamples: Readonly<Record<string, OperationExample>> = {
  listTokens: { answer: { tokens: [{ ...token, use }] } },
  mintToken: {
    body: { scope: 'agent', label: 'build agent' },
    answer: { ...token, token: 'q8Zt0m2vJ3xW5yR7bN9cL1dF4gH6kP8sT0uV2wX4yZ6' },
  },
  revokeToken: { path: { id: token.id } },
};
