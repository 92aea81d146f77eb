/** Values of properties of a context file, in front matter and in answers. */
import { z } from 'zod';

export const Scope = z.enum(['global', 'static', 'dynamic']).meta({
  id: 'Scope',
  description:
    'Where context comes from. `global`: the user. `static`: the mounted directory. `dynamic`: a directory below it.',
});
export type Scope = z.infer<typeof Scope>;

export const Trigger = z
  .enum(['always', 'auto', 'agent', 'manual'])
  .meta({ id: 'Trigger', description: 'When a context file is used.' });
export type Trigger = z.infer<typeof Trigger>;

export const ItemType = z
  .enum(['rule', 'reference'])
  .meta({ id: 'ItemType', description: 'Whether a context file is a rule or a reference.' });
export type ItemType = z.infer<typeof ItemType>;

/** The lowest, the default and the highest priority. A lower number comes first (AG-02). */
export const priorityRange = { lowest: 0, default: 500, highest: 999 } as const;
