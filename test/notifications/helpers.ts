import type { ListQuery } from '#domains/notifications/notifications.model.ts'
import type { SendView } from '#domains/notifications/sends/sends.model.ts'

import { ok, type Person, until } from '../harness/index.ts'

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
  const progress = async () => ok(await admin.call('notifications.sendProgress', { params: { id } })).data
  await until(async () => (await progress()).status === 'DONE')
  return progress()
}
