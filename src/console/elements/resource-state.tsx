import type { Resource } from '../api/resource.ts';
import { ProblemNotice, Skeleton } from './panel.tsx';

type Answered<Value = unknown> = Pick<Resource<Value>, 'value' | 'problem' | 'reload'>;

type ResourceStateProps = {
  resource: Answered;
  /** About the number of lines of the answer. */
  rows: number;
};

/** Why there is no newer answer. Without any answer, grey bars until it comes. */
export function ResourceState({ resource: { value, problem, reload }, rows }: ResourceStateProps) {
  if (problem !== undefined) return <ProblemNotice problem={problem} onRetry={reload} />;
  return value === undefined ? <Skeleton rows={rows} /> : null;
}

/** Does not say again that the daemon is unreachable, as the whole page does, if there is an answer to show. */
export function withoutUnreachable<Known extends Answered>(resource: Known): Known {
  const { value, problem } = resource;
  return value !== undefined && problem?.code === 'unreachable' ? { ...resource, problem: undefined } : resource;
}
