/** Servers of Crush. It reads both files in each directory upwards, and expands texts as a shell does. */
import type { ServerList } from './server-list.ts';
import { spelledAs, withDefault } from './variables.ts';

export const crushServers: ServerList = {
  tool: 'Crush',
  in: 'every',
  firstOf: ['crush.json'],
  formats: ['crush'],
  key: 'mcp',
  variables: spelledAs(/(`)|\$(?:(\()|\{([^{}]{1,256})\}|([A-Za-z_]\w{0,255})|(\{))/gu, (inner) => {
    const command = { '`': '`…`', '(': '$(…)', '{': `\${…}` }[inner];
    return command === undefined ? (withDefault(inner) ?? { unknown: `\${${inner}}` }) : { unknown: command };
  }),
};

export const hiddenCrushServers: ServerList = { ...crushServers, firstOf: ['.crush.json'] };
