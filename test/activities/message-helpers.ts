/** Helpers for the tests of messages to participants. */

import { expect } from 'bun:test'

import { identities, users } from '#db/schema/accounts.ts'
import { messagesJob } from '#domains/activities/messages/messages-worker.ts'
import type { Forecast, MessageView, NewMessage } from '#domains/activities/messages/messages.model.ts'

import { type Gateways, ok, type Person, type TestServer, until } from '../harness/index.ts'
import { addRegistrations } from './registering.ts'

export type Some = { readonly id: number }

export const TEXT = { subject: 'Things to bring', body: 'Please bring **gloves**.' } as const

/** Adds proved addresses: `u<id>@example.org`. */
export async function proveAddresses(server: TestServer, userIds: readonly number[]): Promise<string[]> {
  const addresses = userIds.map((id) => `u${id}@example.org`)
  for (let at = 0; at < userIds.length; at += 200)
    await server.ctx.db.write('test.addresses', async (tx) => {
      const rows = userIds.slice(at, at + 200).map((userId, i) => ({
        userId,
        provider: 'EMAIL' as const,
        credential: addresses[at + i]!,
        verified: true,
        createdAt: tx.stamp,
      }))
      await tx.insert(identities).values(rows)
    })
  return addresses
}

/** Adds so many registered users with proved addresses. */
export async function addParticipants(server: TestServer, { id }: Some, count: number) {
  const userIds = await addRegistrations(
    server,
    id,
    Array.from({ length: count }, () => 'CONFIRMED' as const),
  )
  return { userIds, addresses: await proveAddresses(server, userIds) }
}

export const send = (person: Person, { id }: Some, body: Partial<NewMessage> = {}) =>
  person.call('activityMessages.create', { params: { id }, body: { ...TEXT, ...body } })
export const sent = async (person: Person, activity: Some, body: Partial<NewMessage> = {}) =>
  ok(await send(person, activity, body)).data as MessageView
export const forecast = async (person: Person, activity: Some, body: Partial<NewMessage> = {}) =>
  ok(await send(person, activity, { ...body, dryRun: true })).data as Forecast
export const messages = async (person: Person, { id }: Some) =>
  ok(await person.call('activityMessages.list', { params: { id }, query: {} })).data.items
export const message = async (person: Person, { id }: Some, messageId: number) =>
  ok(await person.call('activityMessages.get', { params: { id, messageId } })).data
export const recipientsOf = async (person: Person, { id }: Some, messageId: number, query = {}) =>
  ok(await person.call('activityMessages.recipients', { params: { id, messageId }, query: { size: 100, ...query } }))
    .data

export async function untilDone(person: Person, activity: Some, messageId: number): Promise<MessageView> {
  await until(async () => (await message(person, activity, messageId)).state === 'DONE', 'the message is DONE')
  return message(person, activity, messageId)
}

/** The notifications of the person about the activity, the newest first. */
export async function notifiedOf(person: Person, { id }: Some) {
  const { items } = ok(await person.call('notifications.list', { query: { size: 100, type: 'ACTIVITY' } })).data
  return items.filter(({ data }) => data['activityId'] === id)
}

/** Makes the worker look again, after a test has moved the clock. */
export const work = (server: TestServer): Promise<void> => messagesJob.run(server.ctx)

/** The Message-IDs of the mails to each address. */
export function mailedTo(gateways: Gateways, subject: string): Map<string, Set<string>> {
  const mailed = new Map<string, Set<string>>()
  for (const mail of gateways.mails.filter((one) => one.subject.includes(subject))) {
    const ids = mailed.get(mail.to) ?? new Set()
    mailed.set(mail.to, ids.add(mail.headers.get('message-id')!))
  }
  return mailed
}

/** Every address got mail with one Message-ID, no two the same. */
export function expectOneEach(mailed: ReadonlyMap<string, ReadonlySet<string>>, addresses: readonly string[]): void {
  expect([...mailed.keys()].toSorted()).toEqual(addresses.toSorted())
  expect([...mailed.values()].filter((ids) => ids.size !== 1)).toEqual([])
  expect(new Set([...mailed.values()].flatMap((ids) => [...ids])).size).toBe(addresses.length)
}

/** A user who can do nothing but take part. In-process servers only. */
export async function addUser(server: TestServer, nickname: string): Promise<number> {
  return server.ctx.db.write('test.addUser', async (tx) => {
    const rows = await tx
      .insert(users)
      .values({ nickname, createdAt: tx.stamp, updatedAt: tx.stamp })
      .returning({ id: users.id })
    return rows[0]!.id
  })
}
