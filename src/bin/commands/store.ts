import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { parseStore } from '../state/postgres-address.ts';
import { processSurroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & {
  from: string;
  to: string;
  storeDirect?: string;
  storePasswordFile?: string;
  tenant?: string;
  replace?: boolean;
};

/** `contextd store migrate`: from the database of one daemon to a shared one, and back. */
export function addStoreCommand(program: Command): void {
  const store = program
    .command('store')
    .summary('Move state between SQLite and PostgreSQL.')
    .description('Moves the state of daemons from one store to another.')
    .helpCommand(false);
  store
    .command('migrate')
    .description(
      'Copies all state from SQLite in the state directory into a PostgreSQL, or back: all of it or nothing. Granted roots stay where they are, because each machine has its own. Vectors are computed again. No daemon may use either store meanwhile.',
    )
    .requiredOption('--from <store>', 'sqlite, or postgres://<user>@<host>/<database>')
    .requiredOption('--to <store>', 'the other store')
    .option('--store-direct <address>', 'Address of the same PostgreSQL without its connection pooler.')
    .option('--store-password-file <file>', 'File whose first line is the password of the PostgreSQL.')
    .option('--tenant <name>', 'Which tenant of the PostgreSQL. Default: default')
    .option('--replace', 'Replace existing state.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', migrateHelp)
    .action(migrate);
}

const migrateHelp = `
Examples:
  contextd store migrate --from sqlite --to postgres://contextd@db.example/contextd
  contextd store migrate --from postgres://contextd@db.example/contextd --to sqlite

Exit codes:
  0 done   64 wrong usage, nothing to move, or there is state already
  69 the disk is full, or a store is not there now   75 a daemon runs
  78 a store that cannot be used`;

async function migrate(flags: Flags): Promise<void> {
  const { storeDirect, storePasswordFile, tenant } = flags;
  const surroundings = processSurroundings();
  const isFrom = flags.from === 'sqlite';
  if (isFrom === (flags.to === 'sqlite'))
    throw wrongUsage('one of --from and --to must be sqlite, and the other postgres://…');
  const [address, otherwise] = isFrom ? [flags.to, flags.from] : [flags.from, flags.to];
  const shared = parseStore(
    {
      store: address,
      ...(storeDirect && { storeDirect }),
      ...(storePasswordFile && { storePasswordFile }),
      ...(tenant && { tenant }),
    },
    surroundings,
  );
  if (shared === undefined) throw wrongUsage(`${otherwise} cannot be moved to itself.`);
  const { migrateFromPostgres, migrateToPostgres } = await import('../transfer/migrate-store.ts');
  const stateDirectory = stateDirectoryPath(flags.stateDir, surroundings);
  const migration = { stateDirectory, shared, replace: flags.replace === true };
  const { counts, keptAside } = await (isFrom ? migrateToPostgres : migrateFromPostgres)(migration);
  if (flags.json === true) return printJson({ rows: counts.rows, damaged: counts.damaged, keptAside });
  const { renderCounts, renderDamaged } = await import('../transfer/render-state.ts');
  console.log(visibleText(`Moved to ${isFrom ? shared.shown : stateDirectory}: ${renderCounts(counts.rows)}.`));
  for (const line of renderDamaged(counts.damaged)) console.log(line);
  if (keptAside !== undefined) console.log(visibleText(`What was there before is kept: ${keptAside}`));
  if (isFrom)
    console.log('From now on: contextd start --store <address>. What was moved is still in the state directory, too.');
}
