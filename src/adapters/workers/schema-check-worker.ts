/** Runs in a worker thread. Checks a value against a JSON Schema that is not trusted. A check may never end. */
import { parentPort } from 'node:worker_threads';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { FieldError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';

export type Question = { id: number; schema: object; value: unknown };
/** `id` 0: the thread is ready. */
export type Answer = { id: number; errors?: FieldError[]; failure?: string };

const provider = new CfWorkerJsonSchemaValidator();

parentPort?.on('message', ({ id, schema, value }: Question) => {
  try {
    const result = provider.getValidator(schema as never)(value);
    parentPort?.postMessage({ id, errors: result.valid ? undefined : errorsIn(result.errorMessage) } satisfies Answer);
  } catch (error) {
    parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) });
  }
});

parentPort?.postMessage({ id: 0 } satisfies Answer);

/** The library returns all errors in one text, outermost first: `#: Property "a" does not match schema.; #/a: …`. */
function errorsIn(text: string): FieldError[] {
  const errors = text.split(/; (?=#[^ ]*: )/u).map((part) => {
    const { location = '', said = part } = /^#(?<location>[^ ]*): (?<said>.*)$/su.exec(part)?.groups ?? {};
    const pointer = decoded(location);
    const missing = /^Instance does not have required property "(?<name>.*)"\.$/su.exec(said)?.groups?.name;
    if (missing === undefined) return { pointer, message: said.slice(0, 500) };
    return { pointer: `${pointer}/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`, message: 'Required.' };
  });
  // An error about a whole object is redundant if there is an error inside it.
  const isTold = ({ pointer }: FieldError) => errors.some((other) => other.pointer.startsWith(`${pointer}/`));
  return errors
    .filter((error) => !isTold(error) || !/does not match/u.test(error.message))
    .slice(0, fixedLimits.mcpTools.errors);
}

function decoded(location: string): string {
  try {
    return decodeURI(location);
  } catch {
    return location;
  }
}
