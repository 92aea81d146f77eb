/** Runs steps that use the store one after the other. Waiting for a turn counts as waiting for the store (FT-07). */
import { ContextdError } from '../errors.ts';
import { createTurns } from './turns.ts';

type Step = <Result>(step: () => Promise<Result>) => Promise<Result>;

/** `waiting`: as the store has it, if it has it. */
export function createStoreTurns(waiting: Step = (step) => step()): Step {
  const turns = createTurns(1);
  return async (step) => {
    let isOver = false;
    const inTurn = async () => {
      // Its caller was refused while others had their turns.
      if (isOver) throw new ContextdError('unavailable', 'The turn came too late.');
      return step();
    };
    try {
      return await waiting(() => turns(inTurn));
    } finally {
      isOver = true;
    }
  };
}
