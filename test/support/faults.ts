/**
 * Troubles of the machine, put beneath the adapters (docs/threats.md, figure 4): of the calls that touch one directory, or a
 * database in it, the n-th fails as the operating system or SQLite lets it fail. Code under test is not changed for it.
 */
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import sqlite, { type DatabaseSync, type StatementSync } from 'node:sqlite';

/** By the code of a file system's error: SQLite's code and words for what comes nearest. */
const sqliteErrors = {
  ENOSPC: [13, 'database or disk is full'],
  EIO: [778, 'disk I/O error'],
  EACCES: [14, 'unable to open database file'],
  EROFS: [8, 'attempt to write a readonly database'],
  EMFILE: [5, 'database is locked'],
} as const;
type Trouble = keyof typeof sqliteErrors;
export const troubles = Object.keys(sqliteErrors) as Trouble[];

/** Calls `at`, counted from 1, and the next until it were `times` fail. */
export type FaultPlan = { at: number; trouble: Trouble; times: number };

export type FaultLayer = {
  /** Begins to count, and fails what the plan says; without one nothing fails. */
  arm(plan?: FaultPlan): void;
  /** Fails nothing any more; says how many calls there were, and which failed. */
  disarm(): { calls: number; struck: string[] };
  /** Puts everything back. */
  remove(): void;
};

type AnyFunction = (...args: unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

const promiseNames = [
  ...['open', 'opendir', 'readdir', 'readFile', 'readlink', 'statfs', 'stat', 'lstat', 'realpath'],
  ...['link', 'rename', 'unlink', 'rm', 'mkdir', 'writeFile', 'copyFile'],
];
const syncNames = [
  ...['openSync', 'statSync', 'lstatSync', 'readdirSync', 'readFileSync', 'realpathSync'],
  ...['rmSync', 'renameSync', 'writeFileSync', 'copyFileSync', 'mkdirSync'],
];
const handleNames = ['stat', 'read', 'readFile', 'writeFile', 'chmod', 'sync', 'close'];
/** What SQLite gives a whole transaction up for. */
const endsTransaction: readonly Trouble[] = ['ENOSPC', 'EIO'];

/** Affects the whole process until it is removed, but no call elsewhere than below `directory`. */
export function layFaults(directory: string): FaultLayer {
  let plan: FaultPlan | undefined;
  let isArmed = false;
  let calls = 0;
  let struck: string[] = [];
  const restore: (() => void)[] = [];

  /** The trouble that this call has, if any. */
  const count = (name: string): Trouble | undefined => {
    if (!isArmed) return undefined;
    calls += 1;
    if (plan === undefined || calls < plan.at || calls >= plan.at + plan.times) return undefined;
    struck.push(name);
    return plan.trouble;
  };
  const concerns = (path: unknown): boolean =>
    typeof path === 'string' && (path.startsWith(directory) || path.startsWith('/proc/self/fd/'));
  const failure = (trouble: Trouble, syscall: string): Error =>
    Object.assign(new Error(`${trouble}: ${syscall}`), { code: trouble, errno: -1, syscall });
  const replace = (holder: object, name: string, make: (original: AnyFunction) => AnyFunction): void => {
    const functions = holder as Functions;
    const original = functions[name] as AnyFunction;
    functions[name] = Object.assign(make(original), original);
    restore.push(() => {
      functions[name] = original;
    });
  };

  const troubled = (handle: FileHandle): FileHandle => {
    const functions = handle as unknown as Functions;
    for (const name of handleNames) {
      const original = (functions[name] as AnyFunction).bind(handle);
      functions[name] = async (...args) => {
        const trouble = count(name);
        if (trouble === undefined) return original(...args);
        // The kernel gives a descriptor back, whatever closing it answers.
        if (name === 'close') await original();
        throw failure(trouble, name);
      };
    }
    return handle;
  };
  for (const name of promiseNames)
    replace(fs.promises, name, (original) => async (...args) => {
      const trouble = concerns(args[0]) ? count(name) : undefined;
      if (trouble !== undefined) throw failure(trouble, name);
      const result = await original(...args);
      return name === 'open' && concerns(args[0]) ? troubled(result as FileHandle) : result;
    });
  const synchronous =
    (name: string) =>
    (original: AnyFunction): AnyFunction =>
    (...args) => {
      const trouble = concerns(args[0]) ? count(name) : undefined;
      if (trouble !== undefined) throw failure(trouble, name);
      return original(...args);
    };
  for (const name of syncNames) replace(fs, name, synchronous(name));
  replace(fs.realpathSync, 'native', synchronous('realpathSync.native'));
  replace(fs, 'existsSync', (original) => (path) => {
    const trouble = concerns(path) ? count('existsSync') : undefined;
    return trouble === undefined && original(path);
  });
  const byCallback =
    (name: string) =>
    (original: AnyFunction): AnyFunction =>
    (...args) => {
      const trouble = concerns(args[0]) ? count(name) : undefined;
      if (trouble === undefined) return original(...args);
      return setImmediate(args.at(-1) as AnyFunction, failure(trouble, name));
    };
  replace(fs, 'lstat', byCallback('lstat'));
  replace(fs.realpath, 'native', byCallback('realpath.native'));

  // The class itself cannot be exchanged: what others have imported of it stays what it is.
  const { DatabaseSync: Database, StatementSync: Statement } = sqlite;
  const databaseOf = new WeakMap<StatementSync, DatabaseSync>();
  const execute = Database.prototype.exec;
  /** In every second case SQLite has undone the transaction by itself. */
  const strikeDatabase = (database: DatabaseSync, name: string): void => {
    const trouble = database.isOpen && concerns(database.location()) ? count(name) : undefined;
    if (trouble === undefined) return;
    const isOver = endsTransaction.includes(trouble) && calls % 2 === 0;
    if (isOver && database.isTransaction) execute.call(database, 'ROLLBACK');
    throw sqliteFailure(trouble);
  };
  replace(Database.prototype, 'exec', (exec) => {
    return function (this: DatabaseSync, sql: unknown) {
      strikeDatabase(this, `exec ${String(sql).slice(0, 40)}`);
      return exec.call(this, sql);
    } as AnyFunction;
  });
  replace(Database.prototype, 'prepare', (prepare) => {
    return function (this: DatabaseSync, sql: unknown) {
      strikeDatabase(this, 'prepare');
      const statement = prepare.call(this, sql) as StatementSync;
      databaseOf.set(statement, this);
      return statement;
    } as AnyFunction;
  });
  for (const name of ['run', 'get', 'all', 'iterate'])
    replace(Statement.prototype, name, (run) => {
      return function (this: StatementSync, ...args: unknown[]) {
        const database = databaseOf.get(this);
        if (database !== undefined) strikeDatabase(database, `${name} ${this.sourceSQL.slice(0, 40)}`);
        return run.apply(this, args);
      } as AnyFunction;
    });
  syncBuiltinESMExports();

  return {
    arm(next) {
      plan = next;
      calls = 0;
      struck = [];
      isArmed = true;
    },
    disarm() {
      isArmed = false;
      return { calls, struck };
    },
    remove() {
      isArmed = false;
      for (const put of restore.reverse()) put();
      syncBuiltinESMExports();
    },
  };
}

function sqliteFailure(trouble: Trouble): Error {
  const [errcode, message] = sqliteErrors[trouble];
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message });
}
