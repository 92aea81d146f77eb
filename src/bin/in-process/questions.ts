/** The questions that the daemon and an engine in this process answer in the same way. */
import type { Engine } from '../../engine.ts';

/** With the method GET, the request is sent in the query. */
export type Question<Request, Result> = {
  path: `/v1/${string}`;
  method?: 'GET' | undefined;
  request: Request;
  ask(engine: Engine, request: Request): Promise<Result>;
};

type Place = { mountedDirectory: string };

function questionFor<Request, Result>(
  path: `/v1/${string}`,
  verbOf: (engine: Engine) => (request: Request) => Promise<Result>,
  method?: 'GET',
) {
  return (request: Request): Question<Request, Result> => {
    return { path, method, request, ask: (engine, asked) => verbOf(engine)(asked) };
  };
}

export const questions = {
  resolve: questionFor('/v1/context/resolve', ({ resolve }) => resolve),
  explain: questionFor('/v1/context/explain', ({ explain }) => explain),
  convert: questionFor('/v1/context/convert', ({ convert }) => convert),
  gatherContext: questionFor('/v1/context', ({ gatherContext }) => gatherContext),
  formats: questionFor('/v1/formats', ({ formats }) => formats, 'GET'),
  retrieve: questionFor('/v1/retrieve', ({ retrieve }) => retrieve),
  search: questionFor('/v1/search', ({ agents: { search } }) => {
    return (request: Parameters<typeof search>[0] & Place) => search(request);
  }),
  searchFiles: questionFor('/v1/workspace/files/search', ({ supplementary }) => supplementary.searchFiles),
  checkPolicy: questionFor('/v1/policy/check', ({ policy }) => policy.check),
  previewPolicy: questionFor('/v1/policy/preview', ({ policy }) => policy.preview),
  listPolicies: questionFor(
    '/v1/policy',
    ({ policy }) =>
      (request: Place) =>
        policy.list(request.mountedDirectory),
    'GET',
  ),
};
