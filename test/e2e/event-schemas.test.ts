/** The events of the real daemon are what the document says of them (AN-07). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, it, onTestFinished } from 'vitest';
import { Event } from '../../src/events/event.ts';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

function listen({ url, token }: TestDaemon): EventSourceMessage[] {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const headers = { authorization: `Bearer ${token}` };
  const request = get(`${url}/v1/events`, { agent: false, headers }, (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => parser.feed(chunk));
    response.on('error', () => {});
  });
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  return messages;
}

it('AN-07 tells events that their schemas describe, each with its type in its data', async () => {
  const directory = temporaryDirectory();
  const project = join(directory, 'project');
  mkdirSync(join(project, '.context'), { recursive: true });
  await using daemon = await startDaemon({ grantRoots: [project] });
  const messages = listen(daemon);
  await until(async () => {
    const { body } = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
    const status = (await daemon.request('/v1/status')).body as { watching: { directories: number } };
    return body !== undefined && status.watching.directories >= 2;
  });
  writeFileSync(join(project, '.context/b.md'), 'b');
  writeFileSync(join(project, '.ai-context-policy.yaml'), 'ai_context_policy: allow\n');
  await daemon.request('/v1/agents/reviewer', { method: 'PUT', body: { name: 'Reviewer' } });
  await daemon.request('/v1/sessions', { body: { agentId: 'reviewer' } });
  await daemon.request('/v1/supplementary', { body: { mountedDirectory: project, kind: 'file', path: 'a.ts' } });
  await daemon.request('/v1/roots', { body: { path: directory } });
  const wanted = ['agent-changed', 'context-changed', 'policy-changed', 'resync', 'session-changed'];
  wanted.push('supplementary-changed');
  await until(() => wanted.every((type) => messages.some(({ event }) => event === type)));
  const told = messages.map(({ event, data }) => {
    const { type } = Event.parse(JSON.parse(data));
    expect(type).toBe(event);
    return type;
  });
  expect([...new Set(told)].sort()).toEqual(wanted);
});
