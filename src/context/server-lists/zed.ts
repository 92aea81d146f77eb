/** Servers of Zed, in the settings of a project. It gives texts on as they are written. */
import type { ServerList } from './server-list.ts';
import { asWritten } from './variables.ts';

export const zedServers: ServerList = {
  tool: 'Zed',
  in: 'root',
  firstOf: ['.zed/settings.json'],
  formats: ['zed'],
  key: 'context_servers',
  variables: asWritten,
  // Settings of a server that an extension brings do not say what is started.
  adapt: (entry) => (entry.has('settings') && !entry.has('command') && !entry.has('url') ? undefined : entry),
};
