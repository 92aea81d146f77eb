import { describe, expect, it } from 'vitest';
import type { Agent, AgentMcpServer } from '../../src/agent/agent.ts';
import { maskAgent, restoreSecrets } from '../../src/agent/secrets.ts';
import { ContextdError } from '../../src/errors.ts';

const agentWith = (mcpServers: Record<string, AgentMcpServer>): Agent => ({ id: 'a', name: 'A', mcpServers });
const local = { command: 'run', args: ['x'], env: { TOKEN: 'canary-1', OTHER: 'canary-2' } };
const remote = {
  url: 'https://ada:canary-3@example.org/mcp?key=canary-4',
  headers: { Authorization: 'Bearer canary-5' },
};
const stored = agentWith({ local, remote });

function refusals(agent: Agent, before?: Agent): string[] {
  try {
    restoreSecrets(agent, before);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ContextdError);
    expect((error as ContextdError).code).toBe('invalid_request');
    expect(`${(error as Error).message} ${JSON.stringify((error as ContextdError).errors)}`).not.toContain('canary');
    return (error as ContextdError).errors.map(({ pointer }) => pointer);
  }
}

describe('masking', () => {
  it('S-26 shows names of variables and headers, and no value', () => {
    const shown = maskAgent(stored);
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(shown.mcpServers?.local).toEqual({ ...local, env: { TOKEN: '***', OTHER: '***' } });
    expect(shown.mcpServers?.remote).toEqual({
      url: 'https://***:***@example.org/mcp?key=***',
      headers: { Authorization: '***' },
    });
    expect(stored.mcpServers?.local).toBe(local);
  });

  it('S-26 masks a whole address that is none', () => {
    expect(maskAgent(agentWith({ a: { url: 'canary' } })).mcpServers?.a).toEqual({ url: '***' });
  });

  it('leaves an agent without servers as it is', () => {
    const agent = { id: 'a', name: 'A' };
    expect(maskAgent(agent)).toBe(agent);
    expect(restoreSecrets(agent, undefined)).toBe(agent);
  });
});

describe('what comes back masked', () => {
  it('S-26 keeps what is stored', () => {
    expect(restoreSecrets(maskAgent(stored), stored)).toEqual(stored);
  });

  it('S-26 takes new values, and lets some go', () => {
    const sent = agentWith({
      local: { ...local, env: { TOKEN: 'new', OTHER: '***' } },
      remote: { url: 'https://b.org' },
    });
    expect(restoreSecrets(sent, stored)).toEqual(
      agentWith({ local: { ...local, env: { TOKEN: 'new', OTHER: 'canary-2' } }, remote: { url: 'https://b.org' } }),
    );
  });

  it.each([
    ['another command', { local: { ...local, command: 'curl', env: { TOKEN: '***' } } }, '/mcpServers/local/env/TOKEN'],
    ['other arguments', { local: { ...local, args: ['y'], env: { TOKEN: '***' } } }, '/mcpServers/local/env/TOKEN'],
    ['another name', { other: { ...local, env: { TOKEN: '***' } } }, '/mcpServers/other/env/TOKEN'],
    ['another variable', { local: { ...local, env: { 'A/~': '***' } } }, '/mcpServers/local/env/A~1~0'],
    [
      'another address',
      { remote: { url: 'https://evil.org/', headers: { Authorization: '***' } } },
      '/mcpServers/remote/headers/Authorization',
    ],
    ['a masked address elsewhere', { remote: { url: 'https://evil.org/?key=***' } }, '/mcpServers/remote/url'],
    ['a masked user elsewhere', { remote: { url: 'https://***@evil.org/' } }, '/mcpServers/remote/url'],
    ['a program instead of an address', { remote: { command: 'x', env: { a: '***' } } }, '/mcpServers/remote/env/a'],
    [
      'a name that objects inherit',
      { constructor: { command: 'x', env: { a: '***' } } },
      '/mcpServers/constructor/env/a',
    ],
  ] as const)('S-26 sends no stored value to %s', (_title, servers, pointer) => {
    expect(refusals(agentWith(servers as unknown as Record<string, AgentMcpServer>), stored)).toEqual([pointer]);
  });

  it('S-26 S-61 refuses masks where nothing is stored, also for inherited names', () => {
    const sent = agentWith({ local: { command: 'x', env: { toString: '***', constructor: '***' } } });
    expect(refusals(sent)).toEqual(['/mcpServers/local/env/toString', '/mcpServers/local/env/constructor']);
    expect(refusals(sent, agentWith({ local: { command: 'x', env: {} } }))).toHaveLength(2);
  });
});
