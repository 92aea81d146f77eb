import type { OperationExample } from './examples.ts';

/** Examples of the operations about the model and its vectors. */
export const searchExamples: Readonly<Record<string, OperationExample>> = {
  warmSearch: {
    body: { mountedDirectory: '~/project' },
    answer: { jobId: '3f0c2b9e-6a51-4c39-9c5b-0c6f8a1d2e47' },
  },
  getSearchStatus: {
    answer: {
      model: 'Xenova/all-MiniLM-L6-v2',
      dimensions: 384,
      installed: true,
      state: 'ready',
      vectors: 412,
      bytes: 786_432,
      jobs: [{ jobId: '3f0c2b9e-6a51-4c39-9c5b-0c6f8a1d2e47', phase: 'index', done: 384, total: 412 }],
    },
  },
};
