/** Servers of Grok Build. `{{…}}` is what it asks for, or knows of its session. */
import { withNamedVariables } from './named-variables.ts';
import type { ServerList } from './server-list.ts';
import { spelledAs, withDefault } from './variables.ts';

export const grokServers: ServerList = {
  tool: 'Grok',
  in: 'every',
  firstOf: ['.grok/config.toml'],
  formats: ['grok'],
  key: 'mcp_servers',
  variables: spelledAs(/\$(?:\{([^{}]{1,256})\}|(\w{1,256}))|(\{\{[^{}]{1,256}\}\})/gu, (inner) =>
    inner.startsWith('{{') ? { unknown: inner } : withDefault(inner),
  ),
  isToml: true,
  adapt(entry, at) {
    const known = new Map(entry);
    // Fields of Codex.
    for (const field of ['env_vars', 'env_http_headers']) known.delete(field);
    return withNamedVariables(known, at, { spell: (name) => `\${${name}}`, headers: 'headers' });
  },
};
