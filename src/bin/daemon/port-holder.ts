const proofMs = 1_000;

/** Who has a port that is taken, as the end of a sentence, and what to do if that one will do. It gets no token. */
export async function holderOf(address: string, port: number): Promise<{ says: string; mend: string }> {
  const { findDaemon } = await import('../client/client.ts');
  const found = await findDaemon({ url: `http://${address}:${port}`, proofMs });
  if (!found.ok) return { says: 'another program.', mend: '' };
  return {
    says: 'another contextd, which has another state directory or another user.',
    mend: 'If it is yours, name its directory with --state-dir. ',
  };
}
