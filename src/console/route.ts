/** The place of the page: `#/<view>?dir=…&…`. It contains everything that a reload or a link must keep. */
import { signal } from '@preact/signals';

type Route = { view: string; params: URLSearchParams };

export const route = signal<Route>(parseRoute(location.hash));

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/u, '').split('?', 2);
  return { view: path === '' ? 'workspace' : path, params: new URLSearchParams(search) };
}

/** The address of a view. It keeps the mounted directory, unless another one is given. */
export function addressOf(view: string, params: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams();
  const directory = 'dir' in params ? params.dir : mountedDirectory();
  if (directory !== undefined) search.set('dir', directory);
  for (const [name, value] of Object.entries(params))
    if (name !== 'dir' && value !== undefined && value !== '') search.set(name, value);
  const text = search.toString();
  return `#/${view}${text === '' ? '' : `?${text}`}`;
}

/** The mounted directory of all views. Undefined if none is chosen. */
export function mountedDirectory(): string | undefined {
  return route.value.params.get('dir') ?? undefined;
}

/** Changes parameters of the present view. Several values become several parameters; `undefined` removes one. */
export function setParams(
  changes: Record<string, string | readonly string[] | undefined>,
  how: 'push' | 'replace' = 'replace',
): void {
  const params = new URLSearchParams(route.peek().params);
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) if (each !== '') params.append(name, each);
  }
  const text = params.toString();
  go(`#/${route.peek().view}${text === '' ? '' : `?${text}`}`, how);
}

/** Goes to an address that `addressOf` made. */
export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  route.value = parseRoute(address);
}

/** Follows links and the browser's back and forward buttons. */
export function followAddress(): void {
  addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash);
  });
  addEventListener('popstate', () => {
    route.value = parseRoute(location.hash);
  });
}
