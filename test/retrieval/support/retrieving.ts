import type { RetrieveRequest } from '../../../src/retrieval/retrieve-request.ts';
import type { RetrieveResult } from '../../../src/retrieval/retrieve-result.ts';
import { createInProcessParser } from '../../support/in-process-parser.ts';
import { createWorkspace, project, type TestWorkspace } from '../../support/workspace.ts';

type Options = Parameters<typeof createWorkspace>[1] & { before?: (text: string) => void | Promise<void> };
type Retrieving = TestWorkspace & {
  retrieve(request: Omit<RetrieveRequest, 'mountedDirectory'>): Promise<RetrieveResult>;
  /** The relative path of the first item for a query, with this document active. */
  first(query: string, path?: string): Promise<string | undefined>;
};

/** A workspace with parsers; `before` is told of each text that is parsed, and may fail it. */
export async function open(tree: Record<string, string | Uint8Array>, options: Options = {}): Promise<Retrieving> {
  const { before, ...rest } = options;
  const sourceParser = createInProcessParser(before);
  const workspace = await createWorkspace(tree, { ...rest, ports: { sourceParser, ...rest.ports } });
  const retrieve: Retrieving['retrieve'] = (request) =>
    workspace.engine.retrieve({ mountedDirectory: project, ...request });
  return {
    ...workspace,
    retrieve,
    async first(query, path) {
      const { items } = await retrieve({ query, activeDocument: path === undefined ? undefined : { path } });
      return items[0]?.relativePath;
    },
  };
}

/** Origin and relative path of each item. */
export const shown = ({ items }: RetrieveResult): string[] =>
  items.map(({ origin, relativePath }) => `${origin} ${relativePath}`);

/** Origin, path and reason of what was left out. */
export const leftOut = ({ omitted }: RetrieveResult): string[] =>
  omitted.map(({ origin, path, reason }) => `${origin} ${path.replace(`${project}/`, '')} ${reason.code}`);

export const add = ({ engine }: TestWorkspace, kind: 'file' | 'folder' | 'tab', path: string) =>
  engine.supplementary.add({ mountedDirectory: project, kind, path });

/** The active document as an editor shows it. */
export const active = (content: string, path = 'src/active.ts') => ({ activeDocument: { path, content } });

export const two = 'export function one(): void {}\n\nexport const two = 2;\n';

/** Lines that no query is about, each another one. */
export const filler = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `const filler${from + at} = ${from + at};\n`).join('');
export const rounding = '/** Rounds a price half to even, as banks do. */\nexport function roundPrice() {}\n';
