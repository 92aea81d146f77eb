/** What the committed OpenAPI document says an operation can answer with. */
import { readFileSync } from 'node:fs';

type Response = { $ref?: string; description?: string };
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
};
/** `code` is that of the problem, where it is known. */
type SeenAnswer = { method: string; target: string; status: number; code?: string | undefined };

type Documented = { method: string; pattern: RegExp; fillings: number; responses: Record<string, Response> };

let operations: Documented[] | undefined;
/** Those of addresses that are asked again and again. */
const found = new Map<string, Documented | undefined>();
const maxFound = 1_000;
let components: Record<string, Response> = {};

function read(): Documented[] {
  const file = new URL('../../openapi/openapi.json', import.meta.url);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  components = document.components.responses;
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u'),
        fillings: path.split('{').length,
        responses,
      })),
    )
    .sort((a, b) => a.fillings - b.fillings);
}

/** What was seen that no document names, for all files of this thread; only tests look at it. */
export const shared = globalThis as typeof globalThis & { undocumentedAnswers?: Set<string> };

/** For whoever sees an answer of a daemon or an app. */
export function noteAnswer(answer: SeenAnswer): void {
  const wrong = shared.undocumentedAnswers && undocumented(answer);
  if (wrong !== undefined) shared.undocumentedAnswers?.add(wrong);
}

function operationOf(method: string, path: string): Documented | undefined {
  const key = `${method} ${path}`;
  if (found.has(key)) return found.get(key);
  operations ??= read();
  const operation = operations.find((each) => each.method === method && each.pattern.test(path));
  if (found.size < maxFound) found.set(key, operation);
  return operation;
}

/** What is wrong with an answer; undefined where it is documented, or where no operation gave it. */
export function undocumented({ method, target, status, code }: SeenAnswer): string | undefined {
  const path = target.split('?')[0] as string;
  const asked = method === 'HEAD' ? 'GET' : method;
  const operation = operationOf(asked, path);
  const response = operation?.responses[status];
  // A stream has no HEAD.
  if (operation === undefined || (method === 'HEAD' && status === 405)) return undefined;
  if (response === undefined) return `${asked} ${path} answers ${status}, which its document does not name.`;
  const named = response.$ref === undefined ? response : components[response.$ref.split('/').at(-1) as string];
  if (code === undefined || named?.description?.includes(`\`${code}\``)) return undefined;
  return `${asked} ${path} answers ${status} with the code ${code}, which its document does not name.`;
}
