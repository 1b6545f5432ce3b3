import { wakeWebhooks } from '#domains/webhooks/index.ts'

import { ok, type Person, type TestServer, until } from '../harness/index.ts'
import type { Receiver } from './receiver.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A webhook of an organization, or without `orgId` of the person, who confirms first that it is them. */
export async function hookAt(
  person: Person,
  url: string,
  { events = ['*'], ...more }: { events?: string[]; orgId?: number } = {},
) {
  ok(await person.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: person.password }))
  return ok(await person.call('webhooks.create', { body: { name: 'ERP', url, events, ...more } })).data
}

export const hook = (person: Person, receiver: Receiver, options?: { events?: string[]; orgId?: number }) =>
  hookAt(person, receiver.newUrl(), options)

export const hookOf = async (person: Person, id: number) =>
  ok(await person.call('webhooks.get', { params: { id } })).data

export const deliveries = async (person: Person, id: number, query: object = {}) =>
  ok(await person.call('webhooks.deliveries', { params: { id }, query: { size: 100, ...query } })).data.items

type Found = Awaited<ReturnType<typeof deliveries>>[number]

/** Waits for a delivery that meets the condition. */
export async function delivery(person: Person, id: number, isIt: (one: Found) => boolean): Promise<Found> {
  let found: Found | undefined
  await until(async () => (found = (await deliveries(person, id)).find(isIt)) !== undefined, `${isIt} of a delivery`)
  return found!
}

/** Waits until the newest delivery has so many attempts. */
export async function attempts(person: Person, id: number, count: number): Promise<Found> {
  let newest: Found | undefined
  await until(async () => {
    ;[newest] = await deliveries(person, id)
    return newest !== undefined && newest.attempts.length >= count
  }, `${count} attempts`)
  return newest!
}

/** Moves the clock, and lets the server look for deliveries that are due by then. */
export function later(server: TestServer, ms: number): void {
  server.clock.advance(ms)
  wakeWebhooks(server.ctx)
}
