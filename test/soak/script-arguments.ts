import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The arguments of a script. What it does not take ends it with exit code 64, and `--help` with 0: both say the usage. */
export function scriptArguments<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}
