/** Runs in a worker thread: checks a value against a JSON Schema that a stranger wrote. It may take for ever. */
import { parentPort } from 'node:worker_threads';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

const provider = new CfWorkerJsonSchemaValidator();

parentPort?.on('message', ({ id, schema, value }: { id: number; schema: object; value: unknown }) => {
  try {
    const result = provider.getValidator(schema as never)(value);
    parentPort?.postMessage({ id, ...(result.valid ? {} : { problem: result.errorMessage }) });
  } catch (error) {
    parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) });
  }
});
