import type { Engine } from '../../../src/engine.ts';
import type { Called } from './observed-verbs.ts';

/** The verbs about model and vectors, of an engine that has neither. */
export function createFakeIndex(called: Called): Engine['index'] {
  return {
    async warm(target) {
      called('index.warm', target);
      return { jobId: '3f0c2b9e-6a51-4c39-9c5b-0c6f8a1d2e47' };
    },
    async status() {
      called('index.status');
      const size = { dimensions: 384, vectors: 0, bytes: 0 };
      return { model: 'Xenova/all-MiniLM-L6-v2', installed: false, state: 'stopped', jobs: [], ...size };
    },
  };
}
