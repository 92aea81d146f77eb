/** Examples of the operations of the console. */
import type { OperationExample } from './examples.ts';

export const exampleCode = 'Hq2xN8vT5sYb1kD7wG4mR0pZ3cJ6fL9aUe_XiOtKdBM';

const exampleAddress = 'http://9d4f1c7be2a85036f4b7d1908c3e6a52.localhost:4747/';

export const consoleExamples: Readonly<Record<string, OperationExample>> = {
  getConsolePage: {},
  createConsoleCode: {
    answer: {
      code: exampleCode,
      url: `${exampleAddress}#code=${exampleCode}`,
      expiresAt: '2026-01-05T08:32:00.000Z',
    },
  },
  createSignInPage: {
    body: { directory: '/home/ada/project' },
    answer: {
      file: '/home/ada/.local/state/contextd/sign-in/sign-in-5b0c9e1f7a2d4863.html',
      url: exampleAddress,
      expiresAt: '2026-01-05T08:32:00.000Z',
    },
  },
  createConsoleSession: {
    body: { code: exampleCode },
    answer: { token: 'b7Fz3QmW1xK9sV5nL2cY8rT4hJ6gD0pA-uEiOqZtXwS', createdAt: '2026-01-05T08:31:05.000Z' },
  },
  endConsoleSession: {},
};
