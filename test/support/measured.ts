import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    measured?: string;
  }
}

/** Says in the report of a run what a test has seen, beside that it passed. */
export function tellMeasured({ task }: TestContext, measured: string): void {
  task.meta.measured = measured;
}
