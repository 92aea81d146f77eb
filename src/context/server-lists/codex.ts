/**
 * Servers of Codex. Its texts have no variables: it names them in fields of their own. They are shown as
 * `${env_vars.NAME}`.
 */
import { withNamedVariables } from './named-variables.ts';
import type { ServerList } from './server-list.ts';
import { parseToml } from './toml.ts';
import { spelledAs } from './variables.ts';

export const codexServers: ServerList = {
  tool: 'Codex',
  in: 'every',
  firstOf: ['.codex/config.toml'],
  formats: ['agents-md'],
  key: 'mcp_servers',
  fields: { http_headers: 'headers' },
  variables: spelledAs(/\$\{env_vars\.(\w{1,256})\}/gu, (name) => ({ env: name })),
  parse: parseToml,
  adapt: (entry, at) =>
    withNamedVariables(entry, at, { spell: (name) => `\${env_vars.${name}}`, headers: 'http_headers' }),
};
