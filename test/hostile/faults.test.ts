/**
 * Figure 4 of docs/threats.md: what the disk and the database refuse at the 1st, 2nd, … n-th call never becomes a wrong answer,
 * a hang or half a change, and passes.
 */
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Engine } from '../../src/engine.ts';
import { ContextdError, errorCodes } from '../../src/errors.ts';
import { type FaultLayer, type FaultPlan, layFaults, troubles } from '../support/faults.ts';
import {
  blockedText,
  createFaultyWorlds,
  type FaultyWorld,
  type FaultyWorlds,
  faultyVerbs,
  foreignText,
  masked,
  storedState,
} from '../support/faulty-world.ts';
import { sized } from '../support/test-size.ts';

let worlds: FaultyWorlds;
let faults: FaultLayer;
beforeAll(async () => {
  worlds = await createFaultyWorlds();
  faults = layFaults(worlds.base);
});
afterAll(() => {
  try {
    faults?.remove();
  } finally {
    worlds?.remove();
  }
});

type Verb = (engine: Engine) => Promise<unknown>;
type Outcome = { ok: true; answer: unknown } | { ok: false; error: unknown };

/** What becomes of a verb; one that does not come back is an error too. */
async function ask(verb: Verb, engine: Engine): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), 10_000);
  });
  try {
    return { ok: true, answer: await Promise.race([verb(engine), late]) };
  } catch (error) {
    return { ok: false, error };
  } finally {
    clearTimeout(timer);
  }
}

/** How a verb goes where nothing fails: asked once and again, and what is stored before and after. */
type Course = { calls: number; first: Outcome; again: Outcome; before: string; after: string };

async function followCourse(verb: Verb): Promise<Course> {
  // Loads what is loaded at first need.
  const warm = await worlds.open();
  await ask(verb, warm.engine);
  await warm.close();
  const world = await worlds.open();
  const before = await stateOf(world);
  faults.arm();
  const first = await ask(verb, world.engine);
  const { calls } = faults.disarm();
  const after = await stateOf(world);
  const again = await ask(verb, world.engine);
  await world.close();
  return { calls, first, again, before, after };
}

const stateOf = ({ store }: FaultyWorld): Promise<string> => storedState(store, worlds.mountedDirectory);
/** How often an answer names each code of a warning or a reason. */
function codesIn(answer: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [code] of answer.matchAll(/"[a-z]+(?:_[a-z]+)*"(?=[,}\]])/gu))
    counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** The same answer, a refusal, or an answer that says what is missing, for which it returns true. */
function expectRight(outcome: Outcome, usual: Outcome, what: string): boolean {
  if (!outcome.ok) {
    const { error } = outcome;
    expect(error, what).toBeInstanceOf(ContextdError);
    const { code } = error as ContextdError;
    expect(errorCodes, what).toContain(code);
    expect(code, what).not.toBe('internal');
    return false;
  }
  const answer = masked(outcome.answer);
  expect(answer.includes(blockedText) || answer.includes(foreignText), what).toBe(false);
  if (usual.ok && answer === masked(usual.answer)) return false;
  const known = codesIn(usual.ok ? masked(usual.answer) : '');
  const news = [...codesIn(answer)].filter(([code, count]) => count > (known.get(code) ?? 0));
  expect(news, `${what}: ${answer}`).not.toEqual([]);
  return true;
}

function sameOutcome(a: Outcome, b: Outcome): boolean {
  if (a.ok && b.ok) return masked(a.answer) === masked(b.answer);
  return !a.ok && !b.ok && (a.error as ContextdError).code === (b.error as ContextdError).code;
}

/** Numbers from 0 to below `limit` that are the same in every run. */
function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Where and how a verb of so many calls can fail. */
function plansOf(calls: number): FaultPlan[] {
  const plans = troubles.flatMap((trouble) =>
    Array.from({ length: calls }, (_, index) => index + 1).flatMap((at): FaultPlan[] => [
      { at, trouble, times: 1 },
      // With no descriptor free, a call is tried again for half a second.
      { at, trouble, times: trouble === 'EMFILE' ? 3 : Number.POSITIVE_INFINITY },
    ]),
  );
  const roll = createDice(calls);
  for (let index = plans.length - 1; index > 0; index -= 1) {
    const other = roll(index + 1);
    [plans[index], plans[other]] = [plans[other] as FaultPlan, plans[index] as FaultPlan];
  }
  return plans;
}

/** 0 where the system does not tell. */
const openDescriptors = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

const positions = sized(150, 5_000, 60);

it(`S-71 ${positions} faults of disk and database: right answers or refusals, nothing half done, and then all works`, {
  timeout: 60_000 + positions * 100,
}, async () => {
  const verbs = Object.entries(faultyVerbs(worlds));
  const courses = new Map<string, Course>();
  for (const [name, verb] of verbs) courses.set(name, await followCourse(verb));
  const plans = new Map([...courses].map(([name, { calls }]) => [name, plansOf(calls)]));
  const before = openDescriptors();
  let done = 0;
  let struckAny = 0;
  let struckDatabase = 0;
  let refused = 0;
  while (done < positions && [...plans.values()].some((rest) => rest.length > 0)) {
    for (const [name, verb] of verbs) {
      const plan = plans.get(name)?.pop();
      if (plan === undefined || done >= positions) continue;
      done += 1;
      const { struck, outcome } = await suffer(verb, { name, plan, course: courses.get(name) as Course });
      if (struck.length > 0) struckAny += 1;
      if (struck.some((each) => /^(?:exec|run|get|all|iterate) /u.test(each))) struckDatabase += 1;
      if (!outcome.ok) refused += 1;
    }
  }
  expect(done).toBe(positions);
  expect(struckAny).toBeGreaterThan(0.9 * positions);
  expect(struckDatabase).toBeGreaterThan(0.1 * positions);
  expect(refused).toBeGreaterThan(0.1 * positions);
  expect(openDescriptors()).toBeLessThanOrEqual(before + 5);
});

/** One verb with one fault, and all that must hold after it. */
async function suffer(verb: Verb, { name, plan, course }: { name: string; plan: FaultPlan; course: Course }) {
  const world = await worlds.open();
  faults.arm(plan);
  const outcome = await ask(verb, world.engine);
  const { struck } = faults.disarm();
  const what = `${name}, ${plan.trouble} at ${plan.at} × ${plan.times} (${struck.slice(0, 5).join(', ')})`;
  const isPartial = expectRight(outcome, course.first, what);
  const stored = await stateOf(world);
  // A session without what could not be read is what the warning says it is.
  if (!isPartial) expect(outcome.ok ? [course.after] : [course.before, course.after], what).toContain(stored);
  if (!struck.includes('unlink')) expect(worlds.leftovers(), what).toEqual([]);

  const again = await ask(verb, world.engine);
  const isUsual = isPartial || [course.first, course.again].some((usual) => sameOutcome(again, usual));
  expect(isUsual, `${what}, and again: ${again.ok ? masked(again.answer) : again.error}`).toBe(true);
  const kept = await stateOf(world);
  await world.close();
  const reopened = createSqliteStore(world.databasePath, { heal: true });
  expect(await reopened.warnings(), what).toEqual([]);
  expect(await storedState(reopened, worlds.mountedDirectory), what).toBe(kept);
  await reopened.close();
  return { struck, outcome };
}
