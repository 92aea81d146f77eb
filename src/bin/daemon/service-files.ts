/** Descriptions of the daemon for service managers that start it at login: systemd, launchd, Windows. */

import { escapeXml } from '../../texts/escape-xml.ts';
import { daemonEnvironment } from './node-options.ts';

export type ServiceCommand = {
  /** Absolute path of Node.js. */
  program: string;
  /** The script and its arguments. */
  args: readonly string[];
  /** `PATH`, where MCP servers are found. A service manager has another one than a shell. Absent if it is the same. */
  searchPath?: string;
  home: string;
  /** The user, as Windows names it, with the domain. Only the Windows task has it. */
  user: string;
};

/** A text that the file of a service cannot contain. `message` says which and why. */
export class UnfitText extends Error {}

/** Line breaks could add lines to a file. XML cannot contain other control characters at all. */
function requirePlain({ program, args, searchPath = '', home, user }: ServiceCommand): void {
  for (const text of [program, ...args, searchPath, home, user]) {
    if (/\p{Cc}/u.test(text) || !text.isWellFormed() || /[\ufffe\uffff]/u.test(text))
      throw new UnfitText(`${JSON.stringify(text)} cannot be part of a service: it has characters that are no text.`);
  }
}

/**
 * A unit of systemd for a user. In `ExecStart` a text in double quotes has C escapes; `%` begins a specifier, and `$` a
 * variable in all but the first word (systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting").
 */
export function systemdUnit(command: ServiceCommand): string {
  requirePlain(command);
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/gu, '\\$&').replaceAll('%', '%%')}"`;
  const words = [quoted(command.program), ...command.args.map((arg) => quoted(arg).replaceAll('$', '$$$$'))];
  const environment =
    command.searchPath === undefined
      ? ''
      : `# Where the programs of MCP servers are found, as it was in the shell that printed this.
Environment=${quoted(`PATH=${command.searchPath}`)}
`;
  const isShared = command.args.some((arg) => /^--store=(?!sqlite$)/u.test(arg));
  const startLimit = isShared
    ? '# PostgreSQL may come later than this service.\nStartLimitIntervalSec=0'
    : 'StartLimitIntervalSec=60\nStartLimitBurst=5';
  return `# contextd, for one user. To install:
#   mkdir -p ~/.config/systemd/user
#   contextd service print --systemd > ~/.config/systemd/user/contextd.service
#   systemctl --user daemon-reload
#   systemctl --user enable --now contextd
# To look: systemctl --user status contextd; journalctl --user -u contextd
# To run it without being logged in: loginctl enable-linger
# The paths below are those of now: print it again when Node.js or contextd has moved.

[Unit]
Description=contextd, context for editors and agents
${startLimit}

[Service]
Type=exec
ExecStart=${words.join(' ')}
${environment}# What is freed is given back to the system.
${Object.entries(daemonEnvironment)
  .map(([name, value]) => `Environment=${name}=${value}\n`)
  .join('')}WorkingDirectory=/
Restart=on-failure
RestartSec=${isShared ? 5 : 2}
# Wrong usage, one that runs already, a machine or settings that forbid it: trying again would not help.
RestartPreventExitStatus=64 75 78
# It ends MCP servers by itself, and needs at most 5 seconds for it; what is left then is killed.
KillMode=mixed
TimeoutStopSec=10

# All of this holds for MCP servers too, which contextd starts once you approved them. For one that needs more, such as
# sudo or rootless containers: systemctl --user edit contextd
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
# Where the system lets users have namespaces; elsewhere it is passed over.
ProtectSystem=full
UMask=0077
# Memory holds the token.
LimitCORE=0
# Not MemoryDenyWriteExecute: Node.js compiles while it runs. Not ProtectHome: policies are written where you grant it.

[Install]
WantedBy=default.target
`;
}

/** A property list of launchd (launchd.plist(5)). A comment in XML cannot hold two hyphens. */
export function launchdPlist(command: ServiceCommand): string {
  requirePlain(command);
  const strings = (texts: readonly string[]) =>
    texts.map((text) => `    <string>${escapeXml(text)}</string>`).join('\n');
  const environment =
    command.searchPath === undefined
      ? ''
      : `
  <!-- Where the programs of MCP servers are found, as it was in the shell that printed this. -->
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${escapeXml(command.searchPath)}</string>
  </dict>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!--
  contextd, for one user. Save it as ~/Library/LaunchAgents/contextd.plist, then:
    launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/contextd.plist
  To end it for good: launchctl bootout gui/$(id -u)/contextd
  The paths below are those of now: print it again when Node.js or contextd has moved.
-->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>contextd</string>
  <key>ProgramArguments</key>
  <array>
${strings([command.program, ...command.args])}
  </array>${environment}
  <key>WorkingDirectory</key>
  <string>/</string>
  <key>RunAtLoad</key>
  <true/>
  <!-- Again after a failure; not when it was told to end. -->
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <!-- launchd cannot tell a failure that stays from one that passes, so it is not in a hurry. -->
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>10</integer>
  <!-- 077 -->
  <key>Umask</key>
  <integer>63</integer>
  <key>HardResourceLimits</key>
  <dict>
    <key>Core</key>
    <integer>0</integer>
  </dict>
  <key>StandardErrorPath</key>
  <string>${escapeXml(command.home)}/Library/Logs/contextd.log</string>
</dict>
</plist>
`;
}

/**
 * A task of Windows' Task Scheduler. It is ASCII, so that a shell can save it in any encoding. Throws `UnfitText` also
 * for text that the scheduler would replace: `%NAME%` and `$(…)` cannot be escaped.
 */
export function windowsTask(command: ServiceCommand): string {
  requirePlain(command);
  for (const text of [command.program, ...command.args])
    if (/%[^%]*%|\$\(/u.test(text))
      throw new UnfitText(`${JSON.stringify(text)} cannot be part of a task: Windows would replace what is in it.`);
  const xml = (text: string) =>
    escapeXml(text).replaceAll(/[^\x20-\x7e]/gu, (character) => `&#${character.codePointAt(0)};`);
  const user = xml(command.user);
  return `<!--
  contextd, for one user. Save it as contextd.xml, then:
    schtasks /create /tn contextd /xml contextd.xml
    schtasks /run /tn contextd
  To end it for good: schtasks /delete /tn contextd
  The paths below are those of now: print it again when Node.js or contextd has moved.
-->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>contextd, context for editors and agents</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <Hidden>true</Hidden>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xml(quoteForWindows(command.program))}</Command>
      <Arguments>${xml(command.args.map(quoteForWindows).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/** As programs on Windows split their command line: a backslash is an escape only before a quote. */
function quoteForWindows(text: string): string {
  return `"${text.replaceAll(/(\\*)"/gu, '$1$1\\"').replace(/\\+$/u, '$&$&')}"`;
}
