/** The rules of a project in another format, as a plan. Nothing is written here (FM-15). */
import { isInside, joinPath } from '../../access/paths.ts';
import type { EngineCore } from '../../engine-core.ts';
import { refuseField } from '../../errors.ts';
import { createPause, inTurns } from '../../pace/turns.ts';
import { fixedLimits, parseClientContextPath } from '../../settings.ts';
import { uniqueWarnings } from '../../warnings.ts';
import type { ConvertRequest, ConvertResult } from './convert-request.ts';
import { planConversion } from './plan.ts';
import { findRules } from './rules-here.ts';
import { targetOf } from './targets.ts';

/** Throws as `compose` does. */
export async function convertRules(
  { to, from, ...asked }: ConvertRequest,
  { compose, openWorkspace }: Pick<EngineCore, 'compose' | 'openWorkspace'>,
): Promise<ConvertResult> {
  const { mountedDirectory, world } = await openWorkspace(asked.mountedDirectory);
  const pause = createPause();
  const here = await findRules({ ...asked, mountedDirectory }, { compose, world, pause });
  // A path that cannot be used was refused by now.
  const ownPath = parseClientContextPath(asked.clientContextPath ?? '').value ?? world.clientContextPath;
  const contextPath = joinPath(mountedDirectory, ownPath);
  if (!isInside(mountedDirectory, contextPath)) {
    const message =
      'The context directory lies outside the mounted directory; nothing is converted from there or to it.';
    throw refuseField('invalid_request', '/clientContextPath', message);
  }
  const steps = planConversion(here, targetOf(to, ownPath), {
    from,
    mountedDirectory,
    contextPath,
    frontMatterBytes: fixedLimits.request.frontMatterBytes,
    answerBytes: world.limits.answerBytes,
  });
  const plan = await inTurns(steps, pause);
  return { mountedDirectory, to, ...plan, warnings: uniqueWarnings([...here.warnings, ...plan.warnings]) };
}
