/**
 * The OpenAPI 3.1 document (SY-02): what each route says about itself, and what is true for all routes. Generated from the
 * same schemas that validate requests.
 */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { isPublicRequest } from '../routes/http/guard.ts';
import { NoBody, NoQuery } from '../routes/http/operation.ts';
import { operationIdOf, scopeNeeded } from '../routes/http/scopes.ts';
import { keepUsedSchemas, type Schemas } from './components.ts';
import { operationExamples, preconditionExamples } from './examples.ts';
import { headers, headersOf } from './headers.ts';
import { type Answer, describeRefusals, type RefusingOperation } from './refusals.ts';
import { shapeUnions } from './unions.ts';

const description = `contextd tells any editor or agent runtime which context files apply to a request, and why.

The address and the token are in the discovery file \`daemon.json\` of the state directory. Send the token as
\`Authorization: Bearer <token>\`. The \`Host\` of a request must be a loopback name with the port of the daemon, or a host
that the user has allowed. Requests of other web pages are refused. Bodies are \`application/json\`. Unknown fields in a
body or a query are refused.

A mistake of the caller is a problem (\`application/problem+json\`) with a stable \`code\`. A mistake in a user's file is
a warning inside a good answer. Each operation lists the statuses and codes that it can answer with. A path that does not
exist is \`not_found\` (404). A method that does not exist at its path is \`invalid_request\` with status 405 (see
\`Allow\`).`;

/** Options of the document generator, for a daemon of this `version`. */
export function documentOptions(version: string): FastifyDynamicSwaggerOptions {
  const declared: Declared = new Map();
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'contextd', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/', description: 'The daemon that serves this document.' }],
      tags: [
        { name: 'context', description: 'Which context applies, and why.' },
        { name: 'hooks', description: 'Events of coding tools.' },
        { name: 'agents', description: 'Agents: their rules, references and tools, and search over them.' },
        { name: 'sessions', description: 'Sessions: the items and changes of a conversation.' },
        { name: 'requests', description: 'Requests to a model: what is sent, why, and what was used.' },
        { name: 'search', description: 'The embedding model and its vectors.' },
        { name: 'retrieval', description: 'The context of a prompt.' },
        { name: 'events', description: 'Events about changes.' },
        { name: 'validation', description: 'Checks of files, and how to fix them.' },
        { name: 'supplementary', description: 'What the user adds to the context by hand.' },
        { name: 'policy', description: 'What an AI system may see of a workspace.' },
        { name: 'servers', description: 'MCP servers. They run only after the user has approved them.' },
        { name: 'mcp', description: 'The Model Context Protocol.' },
        { name: 'roots', description: 'Directories whose files may be read.' },
        { name: 'console', description: 'The page for people, and its sign-in.' },
        {
          name: 'tokens',
          description: 'Tokens for agent runtimes. They give access to less than the token of the user.',
        },
        { name: 'system', description: 'The daemon itself.' },
        { name: 'documentation', description: 'This document.' },
      ],
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The `token` of the discovery file `daemon.json` gives access to all operations (`user`). A token that was minted for an agent gives access to the operations that list `agent` here.',
          },
        },
      },
    },
    transform: (route) => {
      const { schema, ...rest } = route;
      const { body, querystring, refusals = [], isVersioned = false, ...others } = schema;
      const operationId = operationIdOf(schema);
      declared.set(operationId, { refusals, isVersioned });
      const security = isPublicRequest(String(route.route.method), route.url)
        ? []
        : [{ token: [scopeNeeded(operationId)] }];
      const sent = { ...(body !== NoBody && { body }), ...(querystring !== NoQuery && { querystring }) };
      return schemaTransform({ ...rest, schema: { ...others, ...sent, security } });
    },
    transformObject: (generated) =>
      finishDocument(objectTransform(generated) as unknown as Document, declared) as object,
  };
}

/** Answers may gain fields later; only requests, which are strict, say `additionalProperties: false`. */
const zodToJsonConfig = {
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    const { def } = zodSchema._zod;
    if (def.type === 'object' && (def as z.core.$ZodObjectDef).catchall === undefined)
      delete jsonSchema.additionalProperties;
    const { discriminator } = def as z.core.$ZodDiscriminatedUnionDef;
    if (def.type === 'union' && discriminator !== undefined) jsonSchema.discriminator = { propertyName: discriminator };
  },
};
const schemaTransform = createJsonSchemaTransform({ zodToJsonConfig });
const objectTransform = createJsonSchemaTransformObject({ zodToJsonConfig });

type Media = { schema: { $ref?: string; anyOf?: { $ref?: string; type?: string }[] }; example?: unknown };
type Operation = {
  operationId: string;
  parameters?: { name: string; example?: unknown }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, AnswerOrReference>;
};
type AnswerOrReference = Answer | { $ref: string };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; responses?: Record<string, Answer> };
};

function finishDocument(document: Document, declared: Declared): Document {
  const responses: Record<string, Answer> = {};
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const body = operation.requestBody?.content['application/json'];
      if (operation.requestBody && body?.schema.anyOf?.some(({ type }) => type === 'null'))
        unwrapOptionalBody(operation.requestBody, body);
      addExamples(operation);
      const { refusals, isVersioned } = declared.get(operation.operationId) ?? { refusals: [], isVersioned: false };
      const { answers, shared } = describeRefusals(
        {
          ...{ operationId: operation.operationId, method: method.toUpperCase(), path },
          hasVersion: operation.parameters?.some(({ name }) => name === 'if-match') ?? false,
          declared: refusals,
        },
        fieldOf(body?.example, operation),
      );
      for (const [status, answer] of Object.entries(answers))
        operation.responses[status] = withOther(operation.responses[status] as Answer | undefined, answer, shared);
      Object.assign(responses, shared);
      for (const [status, answer] of Object.entries(operation.responses))
        Object.assign(referredIn(responses, answer), { headers: headersOf(Number(status), isVersioned) });
    }
  const finished = keepUsedSchemas({ ...document, components: { ...document.components, responses, headers } });
  shapeUnions(finished);
  return finished;
}
/** What the routes say about their operations, in addition to what is generated. */
type Declared = Map<string | undefined, { refusals: RefusingOperation['declared']; isVersioned: boolean }>;

/** Merges a refusal with an answer of the route that has the same status. */
function withOther(own: Answer | undefined, refusal: AnswerOrReference, shared: Record<string, Answer>) {
  if (own === undefined) return refusal;
  const { description, content } = referredIn(shared, refusal);
  return { description: `${description} ${own.description}`, content: { ...content, ...own.content } };
}

function referredIn(shared: Record<string, Answer>, answer: AnswerOrReference): Answer {
  return '$ref' in answer ? (shared[answer.$ref.split('/').at(-1) as string] as Answer) : answer;
}

function addExamples(operation: Operation): void {
  const { operationId, requestBody, parameters = [], responses } = operation;
  const examples = operationExamples[operationId];
  const body = requestBody?.content['application/json'];
  const bodyExample = examples?.body ?? examples?.bodyForQuery;
  if (body && bodyExample) body.example = bodyExample;
  for (const parameter of parameters) {
    const example = { ...preconditionExamples, ...examples?.path, ...examples?.query, ...examples?.headers }[
      parameter.name
    ];
    if (example !== undefined) parameter.example = example;
  }
  const answer = examples?.answer;
  if (answer === undefined) return;
  for (const [status, response] of Object.entries(responses))
    if (status.startsWith('2') && 'content' in response)
      for (const media of Object.values(response.content)) {
        const isText = (media.schema as { type?: string }).type === 'string';
        if (!isText || typeof answer === 'string') media.example = answer;
      }
}

/** A field in the request of an operation: a field of its body, else a parameter. */
function fieldOf(body: unknown, { parameters }: Operation): string | undefined {
  const [key] = Object.keys((body ?? {}) as object);
  return key ?? parameters?.[0]?.name;
}

/** A body that may be missing is `T | null` to the validator; in the document it is `T`, not required. */
function unwrapOptionalBody(requestBody: { required?: boolean }, body: Media): void {
  const schema = body.schema.anyOf?.filter(({ type }) => type !== 'null')[0];
  if (schema === undefined) return;
  body.schema = schema;
  requestBody.required = false;
}
