/** The logged writes about sessions, account links and nickname words. */

import { person } from '../harness/people.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.sessions.revoke': async ({ server, admin }) => {
    const user = await server.person()
    const revoke = (id: number) => admin.delete(`/api/admin/auth/sessions/${id}`)
    const headers = { 'x-device-name': 'Tablet', 'x-forwarded-for': '203.0.113.9' }
    const body = { account: user.username, password: user.password }
    const deviceId = `device-${crypto.randomUUID()}`
    const login = await server.request('POST', '/api/auth/login', { body, headers, deviceId })
    const { sessionId } = person(server.url, login, user.username, '', deviceId)
    return {
      call: () => revoke(sessionId),
      row: {
        targetId: sessionId,
        targetName: user.username,
        before: { userId: user.id, deviceName: 'Tablet', loginType: 'login', ipAddress: '203.0.113.9' },
        after: null,
      },
      refused: [() => revoke(sessionId), () => revoke(999_999_999)],
    }
  },
}
