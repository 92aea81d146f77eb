/**
 * Masks the secrets of an agent's MCP servers in answers, and restores them if a client sends the agent back (S-26).
 */

import { ContextdError, type FieldError } from '../errors.ts';
import { isMaskedUrl, mask, maskEach, maskUrl } from '../texts/mask.ts';
import { ownValue } from '../texts/own-value.ts';
import { pointerToken } from '../texts/source-tree.ts';
import type { Agent, AgentMcpServer } from './agent.ts';

/**
 * The agent as answers and exports show it: values of `env` and `headers`, and the secret parts of a URL, are `***`.
 */
export function maskAgent(agent: Agent): Agent {
  if (agent.mcpServers === undefined) return agent;
  const servers = Object.entries(agent.mcpServers).map(([name, server]) => [name, maskServer(server)] as const);
  // `fromEntries` defines own properties, so a server named `__proto__` is only a name.
  return { ...agent, mcpServers: Object.fromEntries(servers) };
}

function maskServer(server: AgentMcpServer): AgentMcpServer {
  if ('command' in server) return { ...server, env: server.env && maskEach(server.env) };
  return { ...server, url: maskUrl(server.url), headers: server.headers && maskEach(server.headers) };
}

/**
 * Replaces each `***` by the stored value, because clients send an agent back as it was shown. This works only if the
 * command with its arguments, or the address, is unchanged. Otherwise a client could send a secret that it cannot read
 * to another place. Throws `invalid_request` with a pointer to each value that must be written again.
 */
export function restoreSecrets(agent: Agent, stored: Agent | undefined): Agent {
  if (agent.mcpServers === undefined) return agent;
  const errors: FieldError[] = [];
  const restored = Object.entries(agent.mcpServers).map(([name, server]): [string, AgentMcpServer] => {
    const before = ownValue(stored?.mcpServers, name);
    const pointer = `/mcpServers/${pointerToken(name)}`;
    return [name, restoreServer(server, before, { pointer, errors })];
  });
  if (errors.length > 0) {
    const message = 'A masked value is kept only where a value is stored. Write the value itself.';
    throw new ContextdError('invalid_request', message, errors.slice(0, 64));
  }
  return { ...agent, mcpServers: Object.fromEntries(restored) };
}

type Report = { pointer: string; errors: FieldError[] };

function restoreServer(server: AgentMcpServer, before: AgentMcpServer | undefined, report: Report): AgentMcpServer {
  if ('command' in server) {
    const same = before !== undefined && 'command' in before && sameProgram(server, before) ? before.env : undefined;
    return server.env === undefined ? server : { ...server, env: restoreValues(server.env, same, at(report, 'env')) };
  }
  const same = before !== undefined && 'url' in before && [before.url, maskUrl(before.url)].includes(server.url);
  const url = same ? before.url : server.url;
  if (!same && isMaskedUrl(url)) report.errors.push({ pointer: `${report.pointer}/url`, message: masked });
  if (server.headers === undefined) return { ...server, url };
  const headers = restoreValues(server.headers, same ? before.headers : undefined, at(report, 'headers'));
  return { ...server, url, headers };
}

const masked = 'is masked, and no value is stored for it';

function at({ pointer, errors }: Report, field: string): Report {
  return { pointer: `${pointer}/${field}`, errors };
}

function restoreValues(values: Record<string, string>, stored: Record<string, string> | undefined, report: Report) {
  const restored = Object.entries(values).map(([name, value]): [string, string] => {
    if (value !== mask) return [name, value];
    const kept = ownValue(stored, name);
    if (kept !== undefined) return [name, kept];
    const pointer = `${report.pointer}/${pointerToken(name)}`;
    report.errors.push({ pointer, message: masked });
    return [name, value];
  });
  return Object.fromEntries(restored);
}

function sameProgram(a: { command: string; args?: string[] }, b: { command: string; args?: string[] }): boolean {
  return JSON.stringify([a.command, a.args ?? []]) === JSON.stringify([b.command, b.args ?? []]);
}
