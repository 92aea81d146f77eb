/**
 * Commands of the installed program, one after the other in a process that the tests of a worker share: to start one for each
 * takes several times as long.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { AskedCommand, CommandAnswer } from './command-process.ts';

/** They stay, or start what stays. */
const lasting = new Set('serve start ensure lsp watch open hook'.split(' '));

function isLasting([command = '', next = '-']: readonly string[]): boolean {
  return lasting.has(command) || (command === 'mcp' && next.startsWith('-'));
}

let child: ChildProcess | undefined;
let isBusy = false;

/** Undefined where the command needs a process of its own, or the shared one is busy. */
export function runInShared(asked: AskedCommand): Promise<CommandAnswer> | undefined {
  if (isBusy || isLasting(asked.args)) return undefined;
  isBusy = true;
  if (child?.connected !== true) {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    child = fork(join(import.meta.dirname, 'command-process.ts'), { env: asked.env, execArgv: [], stdio: [...stdio] });
    child.unref();
    child.channel?.unref();
  }
  const running = child;
  running.channel?.ref();
  return new Promise<CommandAnswer>((resolve, reject) => {
    const ended = () => reject(new Error(`The process that ran "contextd ${asked.args.join(' ')}" ended.`));
    running.once('exit', ended).once('message', (answer) => {
      running.off('exit', ended);
      resolve(answer as CommandAnswer);
    });
    running.send(asked);
  }).finally(() => {
    isBusy = false;
    running.channel?.unref();
  });
}
