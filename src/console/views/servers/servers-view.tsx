import { Panel } from '../../elements/panel.tsx';

export function ServersView() {
  return <Panel title="Servers">…</Panel>;
}
