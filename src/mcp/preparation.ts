/** Prepares a start. Each call checks the server again (S-18). */
import { McpError, type McpLaunch } from '../ports/mcp-launcher.ts';
import type { Approval, Approvals } from './approvals.ts';
import type { FilledIn } from './fill-in.ts';
import type { Judge } from './judge.ts';
import { type Current, objectionTo } from './server-view.ts';
import { StartRefused } from './start-refused.ts';

/**
 * What exactly to start. `reads`: the environment values in it, by variable. `moment` changes if the files were written
 * meanwhile.
 */
export type Prepared = { launch: McpLaunch; reads: FilledIn['reads']; moment?: string };

/** Throws `StartRefused` if the server may not be started, and `McpError` if the program does not exist. */
export type Preparation = () => Promise<Prepared>;

/**
 * The preparation of one start. If each start needs its own approval, the first call uses it, so that no other start
 * can. `signal` is aborted when the start is cancelled.
 */
export function createPreparation(
  id: string,
  { approvals, judge, signal }: { approvals: Approvals; judge: Judge; signal: AbortSignal },
): Preparation {
  let taken: Approval | undefined;
  const look = async (): Promise<Current> => {
    const current = await judge.look(id, true);
    const isTaken = taken !== undefined && taken.approvedAt === current.approval?.approvedAt;
    return isTaken ? { ...current, mayStart: true } : current;
  };
  return async () => {
    let current = await look();
    while (!signal.aborted && taken === undefined && isToBeTaken(current)) {
      const { approval } = current;
      if (approval !== undefined && (await approvals.use(approval))) taken = approval;
      else current = await look();
    }
    const objection = objectionTo(current);
    if (objection) throw new StartRefused(objection, current.definition);
    const { launch, filledIn, moment } = current.fingerprinted;
    if (launch === undefined) {
      const { server } = current.definition;
      const program = 'command' in server ? `: ${server.command}` : '.';
      throw new McpError({ code: 'not_found', detail: `The program was not found${program}` });
    }
    return { launch, reads: filledIn.reads, moment };
  };
}

/** A server that cannot be started uses no approval. */
function isToBeTaken(current: Current): boolean {
  const { eachStart, launch } = current.fingerprinted;
  return eachStart === true && launch !== undefined && objectionTo(current) === undefined;
}
