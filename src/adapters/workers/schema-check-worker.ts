/** Runs in a worker thread: checks a value against a JSON Schema that a stranger wrote. It may take for ever. */
import { parentPort } from 'node:worker_threads';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { FieldError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';

const provider = new CfWorkerJsonSchemaValidator();

parentPort?.on('message', ({ id, schema, value }: { id: number; schema: object; value: unknown }) => {
  try {
    const result = provider.getValidator(schema as never)(value);
    parentPort?.postMessage({ id, ...(result.valid ? {} : { errors: errorsIn(result.errorMessage) }) });
  } catch (error) {
    parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) });
  }
});

/** The library tells all errors in one text, outermost first: `#: Property "a" does not match schema.; #/a: …`. */
function errorsIn(text: string): FieldError[] {
  const errors = text.split(/; (?=#[^ ]*: )/u).map((part) => {
    const { location = '', said = part } = /^#(?<location>[^ ]*): (?<said>.*)$/su.exec(part)?.groups ?? {};
    const pointer = decoded(location);
    const missing = /^Instance does not have required property "(?<name>.*)"\.$/su.exec(said)?.groups?.name;
    if (missing === undefined) return { pointer, message: said.slice(0, 500) };
    return { pointer: `${pointer}/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`, message: 'Required.' };
  });
  // That something inside is wrong is told by what is.
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
