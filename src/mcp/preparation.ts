/** What a start is made of, looked at anew each time it asks (S-18). */
import { McpError, type McpLaunch } from '../ports/mcp-launcher.ts';
import type { Approval, Approvals } from './approvals.ts';
import type { Judge } from './judge.ts';
import { type Current, objectionTo } from './server-view.ts';
import { StartRefused } from './start-refused.ts';

/**
 * What exactly is to be started; `moment` differs when its files were written meanwhile. Throws `StartRefused` when it may
 * not be started, and `McpError` when there is no such program.
 */
export type Preparation = () => Promise<{ launch: McpLaunch; moment?: string }>;

/** For one start. Where each needs an approval of its own, the first look takes it: no other start has it then. */
export function createPreparation(
  id: string,
  {
    approvals,
    judge,
    onLaunch,
    isCurrent,
  }: {
    approvals: Approvals;
    judge: Judge;
    onLaunch(launch: McpLaunch, current: Current): void;
    /** Whether nobody has called the start off. */
    isCurrent(): boolean;
  },
): Preparation {
  let taken: Approval | undefined;
  const look = async (): Promise<Current> => {
    const current = await judge.look(id, true);
    const isTaken = taken !== undefined && taken.approvedAt === current.approval?.approvedAt;
    return isTaken ? { ...current, mayStart: true } : current;
  };
  return async () => {
    let current = await look();
    while (isCurrent() && taken === undefined && isToBeTaken(current)) {
      const { approval } = current;
      if (approval !== undefined && (await approvals.use(approval))) taken = approval;
      else current = await look();
    }
    const objection = objectionTo(current);
    if (objection) throw new StartRefused(objection);
    const { launch, moment } = current.fingerprinted;
    if (launch === undefined) throw new McpError({ code: 'not_found', detail: 'The program was not found.' });
    onLaunch(launch, current);
    return { launch, ...(moment === undefined ? {} : { moment }) };
  };
}

/** What cannot be started uses up no approval. */
function isToBeTaken(current: Current): boolean {
  const { eachStart, launch } = current.fingerprinted;
  return eachStart === true && launch !== undefined && objectionTo(current) === undefined;
}
