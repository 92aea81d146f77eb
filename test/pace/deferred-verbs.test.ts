import { expect, it } from 'vitest';
import { deferVerbs, loadOnce } from '../../src/pace/deferred-verbs.ts';

const crowded = () => Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });

it('loads at the first call, once for all that ask meanwhile', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    return { say: async (word: string) => `${word} ${loads}` };
  });
  const verbs = deferVerbs(load);
  expect(loads).toBe(0);
  expect(await Promise.all([verbs.say('a'), verbs.say('b'), load().then(({ say }) => say('c'))])).toEqual([
    'a 1',
    'b 1',
    'c 1',
  ]);
});

it('S-49 S-71 what could not be loaded is unavailable, and loaded when it is asked for again', async () => {
  const failures: Error[] = [crowded(), crowded()];
  const load = loadOnce(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return { say: async () => 'here' };
  });
  const verbs = deferVerbs(load);
  for (let at = 0; at < 2; at += 1)
    await expect(verbs.say()).rejects.toMatchObject({ name: 'ContextdError', code: 'unavailable' });
  expect([await verbs.say(), await verbs.say()]).toEqual(['here', 'here']);
});

it('PK-03 what is not there any more is unavailable, too, and which part it is stays known', async () => {
  const gone = Object.assign(new Error("Cannot find module 'part.js'"), { code: 'ERR_MODULE_NOT_FOUND' });
  const load = loadOnce(async () => {
    throw gone;
  });
  await expect(load()).rejects.toMatchObject({ name: 'ContextdError', code: 'unavailable', cause: gone });
});

it('does not take a mistake for trouble of the machine', async () => {
  const load = loadOnce(async () => {
    throw new TypeError('a mistake');
  });
  await expect(load()).rejects.toThrow(TypeError);
});

it('says what was loaded, and loads nothing for it', async () => {
  let isGone = false;
  const load = loadOnce(async () => {
    if (isGone) throw new TypeError('a mistake');
    return 'part';
  });
  expect(await load.loaded()).toBeUndefined();
  isGone = true;
  await expect(load()).rejects.toThrow(TypeError);
  expect(await load.loaded()).toBeUndefined();
  isGone = false;
  const asked = load();
  expect(await load.loaded()).toBe('part');
  expect(await asked).toBe('part');
});
