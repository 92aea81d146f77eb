/** Until everything that can go on has gone on. However slow the machine is: what is under way takes turns, not time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
