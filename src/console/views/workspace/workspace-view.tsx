import { Panel } from '../../elements/panel.tsx';

export function WorkspaceView() {
  return <Panel title="Workspace">…</Panel>;
}
