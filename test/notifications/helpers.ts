import type { ListQuery } from '#domains/notifications/model.ts'
import type { SendView } from '#domains/notifications/sends/model.ts'

import { ok, type Person } from '../harness/index.ts'

/** Sends a notification to named users. */
export async function sendTo(
  admin: Person,
  userIds: number[],
  title = 'A title',
  body = 'A *body*',
): Promise<SendView> {
  return ok(await admin.call('notifications.send', { body: { userIds, title, body } })).data
}

/** The first page of a user's notifications, with 100 per page unless `query` says otherwise. */
export const list = async (person: Person, query: Partial<ListQuery> = {}) =>
  ok(await person.call('notifications.list', { query: { size: 100, ...query } })).data

/** The counts of a user's notifications, from the two count endpoints. */
export async function counts(person: Person): Promise<{ total: number; unread: number }> {
  const [total, unread] = await Promise.all([
    person.call('notifications.totalCount'),
    person.call('notifications.unreadCount'),
  ])
  return { total: ok(total).data.count, unread: ok(unread).data.count }
}

/** Polls a send until it is done. */
export async function whenSent(admin: Person, id: number): Promise<SendView> {
  for (const end = Date.now() + 25_000; ; await Bun.sleep(20)) {
    const { data } = ok(await admin.call('notifications.sendProgress', { params: { id } }))
    if (data.status === 'DONE') return data
    if (Date.now() > end) throw new Error(`the send was not done after 25 s: ${JSON.stringify(data)}`)
  }
}
