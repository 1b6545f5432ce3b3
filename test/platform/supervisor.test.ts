import { expect, test } from 'bun:test'

import { supervisorOf } from '#platform/supervisor.ts'

const PID = 4711

test.each([
  [{}, 'NONE'],
  [{ INVOCATION_ID: 'f00d' }, 'SYSTEMD'],
  [{ INVOCATION_ID: 'f00d', SYSTEMD_EXEC_PID: '4711' }, 'SYSTEMD'],
  // A terminal that systemd has started.
  [{ INVOCATION_ID: 'f00d', SYSTEMD_EXEC_PID: '815' }, 'NONE'],
  [{ INVOCATION_ID: '' }, 'NONE'],
  [{ XPC_SERVICE_NAME: 'local.tessera' }, 'LAUNCHD'],
  // Terminals of macOS.
  [{ XPC_SERVICE_NAME: '0' }, 'NONE'],
  [{ XPC_SERVICE_NAME: 'application.com.apple.Terminal.1152921500311884321' }, 'NONE'],
  [{ SERVICE_SUPERVISOR: 'tessera' }, 'WINDOWS_SERVICE'],
  [{ SERVICE_SUPERVISOR: 'other' }, 'NONE'],
  [{ container: 'podman' }, 'CONTAINER'],
  [{ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'CONTAINER'],
  // A unit inside a container.
  [{ INVOCATION_ID: 'f00d', container: 'oci' }, 'SYSTEMD'],
] as const)('the environment %j means the supervisor %s', (env, supervisor) => {
  expect(supervisorOf(env, PID)).toBe(supervisor)
})
