/** `figure` is what the tests hold: figures of docs/threats.md, or rows of its tables. */
export type Piece = { figure: string; files: string[] };

export const pieces: Record<string, Piece> = {
  guard: { figure: 'figure 1', files: ['routes/http/guard-pairwise'] },
  requests: { figure: 'figure 2', files: ['routes/fuzz'] },
  kills: {
    figure: 'figure 3, S-68, S-69',
    files: ['hostile/database-kills', 'e2e/session-crash', 'e2e/session-durability'],
  },
  faults: {
    figure: 'figure 4, S-71',
    files: ['hostile/faults', 'hostile/database-faults', 'hostile/failing-disk', 'e2e/disk-full'],
  },
  corruptions: { figure: 'figure 4, S-72', files: ['hostile/database'] },
  reads: { figure: 'figure 5, S-39', files: ['adapters/files/node-files-hostile'] },
  globs: { figure: 'figure 7, S-52', files: ['globs/globs-picomatch'] },
  trees: { figure: 'figure 6, S-45', files: ['hostile/trees'] },
  contents: { figure: 'S-61, S-62', files: ['context/config-hostile', 'validation/property'] },
  readers: { figure: 'S-52, S-58', files: ['hostile/readers-fuzz', 'regular-expressions', 'e2e/held-files'] },
  drips: { figure: 'S-75', files: ['e2e/slow-clients'] },
  streams: { figure: 'S-77', files: ['e2e/events'] },
  load: { figure: 'figure 8', files: ['e2e/held-load'] },
  servers: { figure: 'figure 9, S-18, S-32', files: ['mcp/trust', 'e2e/mcp-orphans', 'hostile/mcp-floods'] },
  starts: { figure: 'S-73, S-74', files: ['e2e/one-daemon', 'bin/client/client'] },
  processes: {
    figure: 'S-79',
    files: ['e2e/parser-kills', 'adapters/embedding/transformers-embedder', 'e2e/search-by-meaning'],
  },
  ends: { figure: 'S-80, S-81', files: ['e2e/stop-under-load', 'e2e/life'] },
  logs: { figure: 'S-84', files: ['e2e/log'] },
  packages: { figure: 'PK-01, PK-02, PK-03', files: ['e2e/package', 'e2e/executable', 'e2e/earlier-state'] },
  clock: { figure: 'S-82', files: ['hostile/clock-steps', 'e2e/clock-steps'] },
  changes: {
    figure: 'CC-36, S-16',
    files: ['spec/never-stale', 'spec/lasting', 'session/sessions', 'e2e/settled-writes'],
  },
};
