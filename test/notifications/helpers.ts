import { expect } from 'bun:test'

import type { Person, Reply, RequestOptions } from '../harness/index.ts'

export const ok = (reply: Reply, what = ''): Reply => {
  expect(reply.status, `${what} ${reply.text.slice(0, 500)}`).toBe(200)
  return reply
}

/** Sends as an administrator and gives the send. */
export async function sendTo(admin: Person, userIds: number[], title = 'A title', body = 'A *body*') {
  return ok(await admin.post('/api/notifications', { userIds, title, body })).data
}

export interface Notification {
  id: number
  type: string
  title: string
  body: string
  bodyPlain: string
  bodyHtml?: string
  data: Record<string, unknown>
  read: boolean
  createdAt: number
}

export interface List {
  items: Notification[]
  total: number
}

export const list = async (who: Person, query: RequestOptions['query'] = {}): Promise<List> =>
  ok(await who.get('/api/notifications', { size: 100, ...query })).data

/** The three counts of a person by their own endpoints. */
export async function counts(who: Person): Promise<{ total: number; unread: number }> {
  const [total, unread] = await Promise.all([
    who.get('/api/notifications/total-count'),
    who.get('/api/notifications/unread-count'),
  ])
  return { total: ok(total).data.count, unread: ok(unread).data.count }
}

/** Waits until a send to many is done. */
export async function whenSent(admin: Person, id: number, seconds = 20) {
  for (const end = Date.now() + seconds * 1000; ; await Bun.sleep(20)) {
    const { data } = ok(await admin.get(`/api/notifications/sends/${id}`))
    if (data.status === 'DONE') return data
    expect(Date.now(), `not sent after ${seconds} s: ${JSON.stringify(data)}`).toBeLessThan(end)
  }
}
