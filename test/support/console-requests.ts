/** What the source of the console asks the daemon for: each call of `request` and `fetch` in it, by method and path. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

/** `path` has `{}` where something is filled in; one that begins with `{}` is the end of a path that is put together elsewhere. */
type ConsoleRequest = { where: string; method: string; path: string };

type Node = { type: string; start: number; [field: string]: unknown };

const root = join(import.meta.dirname, '../../src/console');
const callees = ['request', 'requestWithHeaders', 'send', 'fetch'];
/** It only passes on what others ask for. */
const passesOn = 'api/request.ts';

/** Throws where a call does not say what it asks for: then nobody can hold it against the API. */
export function consoleRequests(): ConsoleRequest[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/u.test(name) && name !== passesOn)
    .flatMap((name) => requestsOf(join(root, name)));
}

function requestsOf(file: string): ConsoleRequest[] {
  const source = readFileSync(file, 'utf8');
  const nodes = [...nodesOf(parseSync(file, source).program as unknown as Node)];
  const texts = new Map<string, Node>();
  for (const { type, id, init } of nodes as (Node & { id?: Node; init?: Node })[])
    if (type === 'VariableDeclarator' && id?.type === 'Identifier' && init != null) texts.set(id.name as string, init);
  return nodes.flatMap((node) => {
    const { callee, arguments: given } = node as unknown as { callee: Node; arguments: Node[] };
    const [asked, options] = given ?? [];
    // A function without arguments that has the same name is another one.
    if (node.type !== 'CallExpression' || !callees.includes(callee.name as string) || asked === undefined) return [];
    const where = `${relative(root, file)}:${source.slice(0, node.start).split('\n').length}`;
    const path = pathOf(asked, texts);
    const method = methodOf(options);
    if (path === undefined || path === '{}' || method === undefined)
      throw new Error(`${where} does not say what it asks for`);
    return [{ where, method, path }];
  });
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

function pathOf(node: Node, texts: ReadonlyMap<string, Node>): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'Identifier') {
    const text = texts.get(node.name as string);
    return text === undefined ? '{}' : pathOf(text, new Map([...texts].filter(([name]) => name !== node.name)));
  }
  if (node.type !== 'TemplateLiteral') return '{}';
  const { quasis, expressions } = node as unknown as { quasis: { value: { cooked: string } }[]; expressions: Node[] };
  return quasis
    .map(({ value }, at) => {
      const filled = expressions[at] === undefined ? '' : (pathOf(expressions[at], texts) ?? '{}');
      return value.cooked + filled;
    })
    .join('');
}

/** As `request` and `fetch` take it. */
function methodOf(options: Node | undefined): string | undefined {
  if (options === undefined) return 'GET';
  if (options.type !== 'ObjectExpression') return undefined;
  const properties = options.properties as { key?: Node; value?: Node }[];
  const named = (name: string) => properties.find(({ key }) => key?.name === name);
  const method = named('method')?.value;
  if (method !== undefined) return typeof method.value === 'string' ? method.value : undefined;
  return named('body') === undefined ? 'GET' : 'POST';
}
