#!/usr/bin/env node
// Imports nothing before the version is checked, because an older Node.js would fail while loading, without a reason.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 23)) {
  console.error(`contextd needs Node.js 22.23 or newer; this is Node.js ${process.version}`);
  process.exitCode = 78;
} else if (process.platform === 'win32') {
  console.error(
    'contextd does not run on Windows itself; install it in WSL: https://learn.microsoft.com/windows/wsl/install',
  );
  process.exitCode = 78;
} else {
  // Node.js 22 says each time that its SQLite is experimental. No user can act on that, and a hook's errors go to a model.
  const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
  process.emitWarning = (...given: unknown[]) => {
    if (given[1] !== 'ExperimentalWarning') emitWarning(...given);
  };
  const { settleHome } = await import('./state/home.ts');
  settleHome(process.env);
  const { useCompileCache } = await import('./daemon/compile-cache.ts');
  const args = process.argv.slice(2);
  useCompileCache(args);
  const { hookToolIds } =
    args[0] === 'hook' && args.length === 2 ? await import('../settings.ts') : { hookToolIds: [] };
  const tool = hookToolIds.find((id) => id === args[1]);
  if (tool === undefined) {
    const { runCommandLine } = await import('./program.ts');
    // Before the daemon is ready: afterwards its program may be replaced.
    const { endHeldProcess, isHeld } = await import('./in-process/held-process.ts');
    const exitCode = await runCommandLine(args);
    if (isHeld()) endHeldProcess(exitCode);
    // After a failed start, something open may keep the process alive.
    if (exitCode !== 0) process.exit(exitCode);
  } else {
    // A tool waits for this command at each step, so the other commands are not loaded.
    const { callHook } = await import('./hooks/call-hook.ts');
    await callHook(tool);
  }
}

export {};
