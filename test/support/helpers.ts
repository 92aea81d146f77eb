/** Programs that tests start again and again: from its source, each takes three times as long. */
import { join } from 'node:path';

const sources = {
  'stand-in-server': join(import.meta.dirname, 'mcp-servers/stand-in-server.ts'),
  'store-writer': join(import.meta.dirname, 'store-writer.ts'),
};

/** Path of what `build-program.ts` has built of it for this run, or else of its source. */
export function helper(name: keyof typeof sources): string {
  const built = process.env.CONTEXTD_TEST_HELPERS;
  return built === undefined ? sources[name] : join(built, `${name}.js`);
}
