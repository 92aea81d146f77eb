/** The examples of the document are true of the operation at which they stand. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';

type Media = { schema: AnySchema; example?: unknown };
type Problem = { code: string; errors?: { pointer: string }[] };
type Operation = {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: object };

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isValid = (schema: AnySchema, value: unknown): boolean =>
  ajv.compile({ ...(schema as object), components: document.components })(value) as boolean;

it('SY-02 each body has an example, which its schema takes', () => {
  expect(operations.length).toBeGreaterThan(60);
  for (const { operationId, requestBody } of operations)
    for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
      expect(example, operationId).toBeDefined();
      expect([operationId, isValid(schema, example)]).toEqual([operationId, true]);
    }
});

it('SY-02 the refusal that is shown points at a field that the request of the operation has', () => {
  for (const { operationId, parameters = [], requestBody, responses } of operations) {
    const body = Object.values(requestBody?.content ?? {})[0]?.example;
    const fields = [...Object.keys((body ?? {}) as object), ...parameters.map(({ name }) => name)];
    const problem = responses['400']?.content?.['application/problem+json']?.example as Problem;
    const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
    expect(pointers.length, operationId).toBe(fields.length === 0 ? 0 : 1);
    for (const pointer of pointers) expect(fields, operationId).toContain(pointer.slice(1));
  }
});
