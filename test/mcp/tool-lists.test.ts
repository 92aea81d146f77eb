import { describe, expect, it } from 'vitest';
import { compareTools, presentTool, presentTools, readToolList } from '../../src/mcp/tool-lists.ts';
import type { McpTool } from '../../src/ports/mcp-launcher.ts';
import { fixedLimits } from '../../src/settings.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { fakeTool } from '../support/fake-mcp-launcher.ts';
import { createServers } from './support/servers.ts';

const withSchema = (more: object): McpTool => ({ ...fakeTool('a'), inputSchema: { type: 'object', ...more } });

describe('lists of tools', () => {
  it('S-31 tell apart an object and the list of its entries, whatever is in it', async () => {
    const pairs: [object, object][] = [
      [{ default: { a: 1 } }, { default: [['a', 1]] }],
      [{ default: {} }, { default: [] }],
      [JSON.parse('{"properties":{"__proto__":{"type":"number"}}}'), { properties: {} }],
      [{ default: '1' }, { default: 1 }],
    ];
    for (const [before, after] of pairs) {
      const { tools } = await readToolList([withSchema(before)]);
      expect(compareTools(tools, await readToolList([withSchema(after)])).offered).toEqual([]);
      expect(compareTools(tools, await readToolList([withSchema(before)])).offered).toHaveLength(1);
    }
  });

  it('S-30 leave out tools that say too much beside their schemas, and those no address can name', async () => {
    const annotations = { note: 'x'.repeat(fixedLimits.mcpTools.schemaBytes) };
    const { tools, withheld } = await readToolList([{ ...fakeTool('a'), annotations }, fakeTool('.'), fakeTool('..')]);
    expect(tools).toEqual([]);
    expect(withheld.map(({ reason }) => reason.code)).toEqual(['limit_exceeded', 'invalid_name', 'invalid_name']);
    const { title } = presentTool({ ...fakeTool('b'), title: 'x'.repeat(100_000) });
    expect(title).toHaveLength(fixedLimits.mcpLists.textCharacters);
  });

  it('S-30 leave out only the tools whose schema is none', async () => {
    const bad = [
      withSchema({ properties: { a: { type: 'text' } } }),
      withSchema({ properties: [] }),
      withSchema({ required: 'a' }),
      withSchema({ properties: { a: { type: 'array', items: 'string' } } }),
      { ...fakeTool('worse'), problem: { code: 'invalid_schema', detail: 'x' } as const },
    ].map((tool, at) => ({ ...tool, name: `bad-${at}` }));
    const { tools, withheld } = await readToolList([...bad, fakeTool('good')]);
    expect(tools.map(({ tool }) => tool.name)).toEqual(['good']);
    expect(withheld.map(({ name, reason }) => [name, reason.code])).toEqual(
      bad.map(({ name }) => [name, 'invalid_schema']),
    );
  });

  it('S-30 of the largest size are read and shown in short turns', async () => {
    const properties = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, { type: 'string' }]));
    const large = Array.from({ length: 512 }, (_, n) => ({ ...withSchema({ properties }), name: `t${n}` }));
    await readToolList(large.slice(0, 50)).then(({ tools }) => presentTools(tools));
    let shown = 0;
    const longest = await longestTurnMs(async () => {
      const { tools } = await readToolList(large);
      shown = (await presentTools(tools)).length;
    });
    expect(shown).toBe(512);
    expect(longest).toBeLessThan(100);
  });

  it('S-31 forget what was wrong with a tool once it is gone', async () => {
    const test = await createServers();
    const { id } = await test.run();
    const change = (tools: McpTool[]) => {
      test.launcher.tools = tools;
      test.launcher.open[0]?.handlers.onListChanged('tools');
      for (const { work } of test.delayed.splice(0)) work();
    };
    const withheld = async () => (await test.mcp.tools(id)).withheld.map(({ name }) => name);
    change([fakeTool('echo'), fakeTool('echo')]);
    await expect.poll(withheld).toEqual(['echo']);
    change([fakeTool('echo')]);
    await expect.poll(withheld).toEqual([]);
  });
});
