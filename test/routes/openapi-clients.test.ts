/** The document is one that generators of clients take (AN-06), with the events that are streamed (AN-07). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEvent, eventTypes } from '../../src/events/event.ts';
import { reasonCodes } from '../../src/reason-codes.ts';
import { rules } from '../../src/validation/findings.ts';
import { warningCodes } from '../../src/warning-codes.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
};
type Parameter = { name: string; schema: Schema; example?: unknown };
type Media = { schema: Schema };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Document;
const { schemas } = document.components;
const referred = (schema: Schema): Schema => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

/** Every schema of the document, wherever it stands, without what is an example. */
const everySchema: { where: string; schema: Schema }[] = [];
const visit = (part: unknown, where: string): void => {
  if (typeof part !== 'object' || part === null) return;
  everySchema.push({ where, schema: part as Schema });
  for (const [key, child] of Object.entries(part)) if (!key.startsWith('example')) visit(child, `${where}/${key}`);
};
visit(document, '');

/** Their members have no field that tells them apart: which ones there are does. */
const toldApartByFields = [
  ['LocalAgentServer', 'RemoteAgentServer'],
  ['PolicySettings', 'PolicyText'],
  ['PolicySettingsPreview', 'PolicyTextPreview'],
  ['ValidateContentRequest', 'ValidateTreeRequest'],
].map((names) => names.map((name) => `#/components/schemas/${name}`).join());

describe('unions', () => {
  it('AN-06 of objects have a discriminator, whose mapping names each member by each of its values', () => {
    const unions = everySchema.filter(({ schema }) => Array.isArray(schema.oneOf));
    expect(unions.length).toBeGreaterThan(9);
    for (const { where, schema } of unions) {
      const { propertyName = '', mapping = {} } = schema.discriminator ?? {};
      const pairs = (schema.oneOf ?? []).flatMap((member) => {
        expect(referred(member).required, where).toContain(propertyName);
        const property = referred(member).properties?.[propertyName] ?? {};
        return (property.enum ?? [property.const]).map((value) => [value, member.$ref]);
      });
      expect(pairs.length, where).toBeGreaterThan(1);
      expect(mapping, where).toEqual(Object.fromEntries(pairs));
      expect(Object.keys(mapping), where).toHaveLength(pairs.length);
    }
  });

  it('AN-06 without one are of different types, or of objects that different fields tell apart', () => {
    for (const { where, schema } of everySchema) {
      if (!Array.isArray(schema.anyOf)) continue;
      const types = schema.anyOf.map((member) => referred(member).type);
      const isApart = new Set(types.map(String)).size === types.length;
      expect(isApart || toldApartByFields.includes(schema.anyOf.map(({ $ref }) => $ref).join()), where).toBe(true);
      // Null is one more type of what is there otherwise.
      expect(types.length === 2 && types.includes('null'), where).toBe(false);
    }
  });
});

describe('values', () => {
  it('AN-06 that a closed list is described by are in it', () => {
    for (const { where, schema } of everySchema) {
      const [, examples] = /such as ([^.]*)\./u.exec(schema.enum === undefined ? '' : (schema.description ?? '')) ?? [];
      const named = [...(examples ?? '').matchAll(/`([^`]+)`/gu)].map((match) => match[1]);
      expect(schema.enum ?? [], where).toEqual(expect.arrayContaining(named));
    }
  });

  it('AN-06 have the closed lists of the source as enums, which say that they can grow', () => {
    expect(schemas.ReasonCode?.enum).toEqual([...new Set(reasonCodes)]);
    expect(schemas.WarningCode?.enum).toEqual([...new Set(warningCodes)]);
    for (const name of ['ReasonCode', 'WarningCode']) expect(schemas[name]?.description).toContain('Later versions');
    expect(schemas.WarningCode?.enum).toEqual(expect.arrayContaining(Object.keys(rules)));
    const codes = everySchema.filter(({ where }) => where.endsWith('/properties/code'));
    const free = codes.filter(({ schema }) => referred(schema).enum === undefined).map(({ where }) => where);
    // What signs in, and what JSON-RPC leaves open.
    expect(free).toEqual([
      '/components/schemas/ConsoleCode/properties/code',
      '/components/schemas/McpError/properties/error/properties/code',
      '/paths//v1/console/sessions/post/requestBody/content/application/json/schema/properties/code',
    ]);
    expect(referred(schemas.Step?.properties?.rule ?? {}).enum).toContain('includeFiles');
    expect(referred(schemas.Step?.properties?.outcome ?? {}).enum).toContain('no_match');
  });

  it('AN-06 are called in descriptions and pages as the lists have them', () => {
    const codesIn = (text = '') => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/gu)].map((match) => match[1] as string);
    const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    const reasons = everySchema.filter(({ schema }) => schema.$ref === '#/components/schemas/Reason');
    const told = reasons.flatMap(({ schema }) => codesIn(schema.description));
    const [ofSessions = ''] = /^`reason` of each item says .*$/mu.exec(page('sessions.md')) ?? [];
    expect(told.length).toBeGreaterThan(20);
    expect(codesIn(ofSessions).length).toBeGreaterThan(2);
    expect([...told, ...codesIn(ofSessions)].filter((code) => !new Set<string>(reasonCodes).has(code))).toEqual([]);
    const rows = [...page('events.md').matchAll(/^\| `([a-z-]+)` \| (.*) \| .* \|$/gmu)];
    expect(rows.map(([, type]) => type).sort()).toEqual([...eventTypes].sort());
    const [, , resync] = rows.find(([, type]) => type === 'resync') ?? [];
    expect([...(resync ?? '').matchAll(/`(\w+)`/gu)].map((match) => match[1])).toEqual(
      schemas.Resync?.properties?.reason?.enum,
    );
  });

  it('AN-06 have one list for each meaning: no two that are named hold the same', () => {
    const lists = Object.values(schemas).flatMap(({ enum: values }) =>
      values ? [values.map(String).sort().join()] : [],
    );
    expect(new Set(lists).size).toBe(lists.length);
  });

  it('AN-06 of numbers have numbers as examples', () => {
    const parameters = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, parameters = [] }) => parameters.map((each) => ({ operationId, ...each })));
    const numbers = parameters.filter(({ schema }) => schema.type === 'integer' || schema.type === 'number');
    expect(numbers.length).toBeGreaterThan(3);
    for (const { operationId, name, example } of numbers)
      expect(example, `${operationId}?${name}`).toBeTypeOf('number');
  });
});

describe('events', () => {
  it('AN-07 are schemas, one for each type, to which the stream refers', () => {
    const stream = document.paths['/v1/events']?.get?.responses['200']?.content?.['text/event-stream'];
    expect(stream?.schema).toEqual({ $ref: '#/components/schemas/Event' });
    expect(Object.keys(schemas.Event?.discriminator?.mapping ?? {})).toEqual(eventTypes);
  });

  it('AN-07 say their type in their data, as in the field of the stream', () => {
    const { text } = createEvent('0', 'resync', { reason: 'overflow' });
    expect(text).toBe('id: 0\nevent: resync\ndata: {"type":"resync","reason":"overflow"}\n\n');
  });
});
