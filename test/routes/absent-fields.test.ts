/** What editors send for what they do not know (AN-01). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../src/agent/agent.ts';
import { ContextItemRef } from '../../src/agent/item.ts';
import { ResolveRequest } from '../../src/context/resolve-request.ts';
import { PolicyWriteRequest } from '../../src/policy/policy-requests.ts';
import { RetrieveRequest } from '../../src/retrieval/retrieve-request.ts';
import { NewRequest } from '../../src/session/request.ts';
import { SessionPatch } from '../../src/session/session.ts';
import { parseInput } from '../../src/texts/parse-input.ts';
import { ValidateRequest } from '../../src/validation/diagnostic.ts';

/** Every optional field of a schema as null, at each depth; required fields as `value` has them. */
function withNulls(schema: z.ZodType, value: unknown): unknown {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return value;
  const given = (value ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(inner.shape as Record<string, z.ZodType>).map(([key, field]) => [
      key,
      Object.hasOwn(given, key) ? withNulls(field, given[key]) : null,
    ]),
  );
}

describe.each([
  ['resolve', ResolveRequest, { mountedDirectory: '/a', budget: {} }],
  ['retrieve', RetrieveRequest, { mountedDirectory: '/a', activeDocument: { path: 'b' }, automatic: {}, budget: {} }],
  ['a request of a session', NewRequest, { message: 'm', search: {}, budget: {} }],
  ['an agent', Agent, { id: 'a', name: 'A', settings: { search: {} } }],
] as [string, z.ZodType, object][])('in %s', (_name, schema, value) => {
  it('AN-01 null for an optional field means that it is absent', () => {
    const sent = withNulls(schema, value);
    expect(JSON.stringify(sent)).toContain('null');
    expect(schema.safeParse(sent).success).toBe(false);
    expect(parseInput(schema, sent)).toMatchObject({ success: true, data: schema.parse(value) });
  });
});

it('AN-01 null keeps its meaning where it has one', () => {
  expect(parseInput(SessionPatch, { currentModelId: null, temperature: null }).data).toEqual({ currentModelId: null });
});

it('S-66 input without null is refused without a copy of it', () => {
  // It could not be copied.
  const sent = { id: 'a', name: 'A', rules: [() => 'A'] };
  expect(parseInput(Agent, sent).error?.issues).toMatchObject([{ path: ['rules', 0] }]);
});

it.each([
  ['a rule has no server', ContextItemRef, { type: 'rule', name: 'a', serverName: null }],
  ['a text is checked', ValidateRequest, { kind: 'context-file', content: 'x', mountedDirectory: null }],
  ['a tree is checked', ValidateRequest, { mountedDirectory: '/a', kind: null, content: null, path: null }],
  [
    'settings are written',
    PolicyWriteRequest,
    { mountedDirectory: '/a', aiContextPolicy: 'allow', exclude: [], text: null },
  ],
  ['a message is appended', SessionPatch, { appendMessages: [{ role: 'user', content: 'x', modelReply: null }] }],
  ['a server is local', Agent, { id: 'a', name: 'A', mcpServers: { s: { command: 'x', args: null, url: null } } }],
] as [string, z.ZodType, object][])('AN-01 null for a field of another alternative: %s', (_, schema, sent) => {
  const plain = JSON.parse(JSON.stringify(sent, (_key, value) => value ?? undefined));
  expect(parseInput(schema, sent)).toMatchObject({ success: true, data: schema.parse(plain) });
  expect(parseInput(schema, { ...sent, other: null }).error?.issues).toMatchObject([{ keys: ['other'] }]);
});

it('AN-01 null for a required field, in a list or as the whole is a mistake at its place', () => {
  const pointers = (schema: z.ZodType, value: unknown) =>
    parseInput(schema, value).error?.issues.map(({ path }) => path);
  expect(pointers(ResolveRequest, { mountedDirectory: null, query: null })).toEqual([['mountedDirectory']]);
  expect(pointers(ResolveRequest, { mountedDirectory: '/a', files: ['x', null] })).toEqual([['files', 1]]);
  expect(pointers(ResolveRequest, null)).toEqual([[]]);
});

it('AN-01 an empty language is an unknown one', () => {
  const activeDocument = { path: 'a.ts', language: '' };
  expect(RetrieveRequest.safeParse({ mountedDirectory: '/a', activeDocument }).success).toBe(true);
});
