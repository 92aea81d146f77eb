import { build } from 'vite';

/** What is tested is what the sources say now, not what was built some time ago. */
export async function setup(): Promise<void> {
  await build({ root: 'src/console', configFile: 'src/console/vite.config.ts', logLevel: 'warn' });
}
