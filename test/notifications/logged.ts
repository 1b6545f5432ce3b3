import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { sendTo } from './helpers.ts'

/** The operation has two paths. */
const sendBy =
  (path: string): LoggedFixture[string] =>
  async ({ server, admin }) => {
    const reader = await server.person()
    const send = (userIds: number[]) =>
      admin.post(path, { title: 'Closed on Monday', body: 'The **secret** garden', userIds })
    return {
      call: () => send([reader.id]),
      row: {
        targetId: ({ data }) => data.id,
        targetName: 'Closed on Monday',
        before: null,
        after: { audience: 'USERS', userIds: [reader.id] },
      },
      refused: [() => send([999_999_999]), () => send([])],
    }
  }

export const logged: LoggedFixture = {
  'notifications.send': sendBy('/api/notifications'),
  'admin.notifications.send': sendBy('/api/admin/notifications'),
  'admin.notifications.delete': async ({ server, admin }) => {
    const reader = await server.person()
    const { id } = await sendTo(admin, [reader.id], 'A mistake')
    const remove = (notificationId: number) => admin.call('admin.notifications.delete', { params: { notificationId } })
    return {
      call: () => remove(id),
      row: {
        targetId: id,
        targetName: 'A mistake',
        before: { audience: 'USERS', orgId: null, status: 'DONE', sent: 1 },
        after: null,
      },
      refused: [() => remove(id), () => remove(999_999_999)],
    }
  },
}
