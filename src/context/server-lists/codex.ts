/**
 * Servers of Codex. Its texts have no variables: it names them in fields of their own. They are shown as
 * `${env_vars.NAME}`.
 */
import type { SourceMap, SourceNode } from '../../texts/source-tree.ts';
import { leftOut } from '../server-entry.ts';
import { withNamedVariables } from './named-variables.ts';
import type { ServerList } from './server-list.ts';
import { spelledAs } from './variables.ts';

const shown = (name: string): string => `\${env_vars.${name}}`;

export const codexServers: ServerList = {
  tool: 'Codex',
  in: 'every',
  firstOf: ['.codex/config.toml'],
  formats: ['agents-md'],
  key: 'mcp_servers',
  fields: { http_headers: 'headers' },
  variables: spelledAs(/\$\{env_vars\.(\w{1,256})\}/gu, (name) => ({ env: name })),
  isToml: true,
  adapt(entry, at) {
    if (isElsewhere(entry)) return undefined;
    const offset = placeOfVariable({ offset: 0, value: entry });
    if (offset !== undefined) {
      const message = `"${shown('…')}" is a variable for contextd, but a plain text for Codex. ${leftOut}`;
      at.report({ code: 'invalid_config_value', message, offset, pointer: at.pointer });
      return undefined;
    }
    const own = new Map(entry);
    // It knows no field of this name.
    own.delete('headers');
    return withNamedVariables(own, at, { spell: shown, headers: 'http_headers' });
  },
};

/** Codex starts such a server in another environment than its own. */
function isElsewhere(entry: SourceMap): boolean {
  return (entry.get('experimental_environment')?.node.value ?? 'local') !== 'local';
}

/** Codex gives such a text on as it is written, and contextd would fill it in. */
function placeOfVariable({ offset, value }: SourceNode): number | undefined {
  if (typeof value === 'string') return value.includes('${env_vars.') ? offset : undefined;
  const inner = value instanceof Map ? [...value.values()].map(({ node }) => node) : value;
  return Array.isArray(inner) ? inner.map(placeOfVariable).find((place) => place !== undefined) : undefined;
}
