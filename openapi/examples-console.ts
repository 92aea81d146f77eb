/** Examples of the operations of the console. */
import type { OperationExample } from './examples.ts';

export const exampleCode = 'Hq2xN8vT5sYb1kD7wG4mR0pZ3cJ6fL9aUe_XiOtKdBM';

export const consoleExamples: Readonly<Record<string, OperationExample>> = {
  getConsolePage: {},
  createConsoleCode: {
    answer: {
      code: exampleCode,
      url: `http://127.0.0.1:4747/#code=${exampleCode}`,
      expiresAt: '2026-01-05T08:32:00.000Z',
    },
  },
  createConsoleSession: {
    body: { code: exampleCode },
    answer: { token: 'b7Fz3QmW1xK9sV5nL2cY8rT4hJ6gD0pA-uEiOqZtXwS', createdAt: '2026-01-05T08:31:05.000Z' },
  },
  endConsoleSession: {},
};
