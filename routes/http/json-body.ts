/** Bodies: JSON in UTF-8, at most `maxDepth` containers deep, no key that reaches a prototype (S-61, S-66). */
import { isUtf8 } from 'node:buffer';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { ContextdError } from '../../src/errors.ts';
import { createBoundedCache } from '../../src/pace/bounded-cache.ts';
import { freezeWhole } from '../../src/pace/frozen.ts';
import { nextTurn } from '../../src/pace/turns.ts';
import { findJsonProblem } from '../../src/texts/json-source.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Clients send the same bodies again and again. They get the same frozen value, which is checked only once. */
    repeatsBodies?: true;
  }
}

/** A larger body is parsed in its own turn of the event loop. */
const largeBytes = 64 * 1024;

const remembered = { maxWeight: 2 * 1024 * 1024, maxEntries: 200 };
/** What a body may need in memory for each of its bytes, with its values. */
const weightOfByte = 16;

/** Replaces every body parser of `app` by this one. An empty body counts as no body. */
export function acceptJsonOnly(app: FastifyInstance, maxDepth: number): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  const parse: FastifyBodyParser<Buffer> = (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new ContextdError('invalid_request', 'The body is not UTF-8.'));
    else if (jsonDepthExceeds(body, maxDepth))
      done(new ContextdError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`));
    else {
      const text = body.toString('utf8').replace(/^\uFEFF/u, '');
      // The framework does not say where. A good body is parsed only once.
      parseJson(request, text, (error, value) => done(error === null ? null : refuseText(text), value));
    }
  };
  const known = createBoundedCache<unknown>(remembered);
  /** Compared first: to compare is quicker than to make a key. */
  let last: { body: Buffer; value: unknown } | undefined;
  const parseOnce: FastifyBodyParser<Buffer> = (request, body, done) => {
    if (last?.body.equals(body)) return done(null, last.value);
    const bytes = body.toString('latin1');
    const value = known.get(bytes);
    if (value !== undefined) {
      last = { body, value };
      return done(null, value);
    }
    parse(request, body, (error, parsed) => {
      if (parsed !== undefined) known.set(bytes, freezeWhole(parsed), weightOfByte * bytes.length);
      done(error, parsed);
    });
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length > largeBytes) void nextTurn().then(() => parse(request, body, done));
    else if (request.routeOptions.config.repeatsBodies) parseOnce(request, body, done);
    else parse(request, body, done);
  });
}

/** Says where a text is not JSON, or that it has a key that reaches a prototype. */
function refuseText(text: string): ContextdError {
  const problem = findJsonProblem(text);
  const detail =
    problem === undefined
      ? 'The body has a forbidden key: "__proto__", or "constructor" with "prototype" in it.'
      : `The body cannot be read: ${problem.message} (at character ${problem.offset}).`;
  return new ContextdError('invalid_request', detail);
}

/** Whether arrays and objects are nested deeper than `maxDepth`; one pass over the bytes, right for any valid JSON. */
export function jsonDepthExceeds(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === 0x22) inString = !inString;
    else if (inString) {
      if (byte === 0x5c) index += 1; // the escaped character, which may be a quote
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}
