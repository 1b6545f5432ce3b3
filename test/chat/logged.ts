import { befriend } from '../contacts/helpers.ts'
import { ok } from '../harness/index.ts'
import type { LoggedFixture, LoggedWorld } from '../operation-log/logged-fixture.ts'
import { recall, sendText } from './helpers.ts'

/** A reported message. Returns the id of the report. */
async function reported({ server }: LoggedWorld): Promise<number> {
  const [alice, bob] = [await server.person(), await server.person()]
  await befriend(alice, bob)
  const { id } = await sendText(alice, bob)
  const body = { reason: 'Advertising' }
  const report = ok(await bob.call('messages.report', { params: { id }, body })).data
  // The report stays what it was.
  ok(await recall(alice, id))
  return report.id
}

const ended =
  (operation: 'remove' | 'dismiss', status: string): LoggedFixture[string] =>
  async (world) => {
    const id = await reported(world)
    const path = `/api/admin/chat/reports/${id}`
    const end = (to: string) => world.admin.send('POST', to)
    return {
      call: () => end(`${path}/${operation}`),
      row: { targetId: id, targetName: null, before: { status: 'OPEN' }, after: { status } },
      refused: [
        () => end(`${path}/${operation === 'remove' ? 'dismiss' : 'remove'}`),
        () => end(`/api/admin/chat/reports/999999/${operation}`),
      ],
      unchanged: () => end(`${path}/${operation}`),
    }
  }

export const logged: LoggedFixture = {
  'admin.chat.removeReported': ended('remove', 'REMOVED'),
  'admin.chat.dismissReport': ended('dismiss', 'DISMISSED'),
  'admin.chat.changeSettings': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/chat/settings', { body })
    return {
      call: () => change({ maxContacts: 400, recallSeconds: 120 }),
      row: { targetId: null, targetName: null, before: { maxContacts: 500 }, after: { maxContacts: 400 } },
      refused: [() => change({ maxContacts: 0 }), () => change({ maxContacts: 300, recallSeconds: -1 })],
      unchanged: () => change({ maxContacts: 400 }),
    }
  },
}
