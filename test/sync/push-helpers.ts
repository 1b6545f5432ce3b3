/** Helpers for the tests of pushes. */

import type { ConflictView, ResolvedConflict } from '#domains/sync/conflicts/conflicts.model.ts'
import type { PushResult } from '#domains/sync/push/push.model.ts'

import { send } from '../harness/client.ts'
import { inProcess, ok, type Person, type Reply, type TestServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'

export interface Pushed {
  entity?: string
  localId?: string
  serverId?: number | null
  baseVersion?: number
  updatedAt?: number
  deleted?: boolean
  data?: unknown
}

let counter = 0

/** A record with a local id of its own, unless it is given: a new category by default. */
export function record({ entity = 'category', ...fields }: Pushed = {}): Pushed & { entity: string; localId: string } {
  counter += 1
  return { entity, localId: `local ${counter}`, baseVersion: 0, updatedAt: Date.now(), ...fields }
}

/** Pushes records. The request as a whole must succeed. */
export async function push(user: Person, ...records: Pushed[]): Promise<PushResult[]> {
  return ok(await user.post('/api/sync/push', { records })).data.results
}

/** Pushes one record. */
export const pushOne = async (user: Person, fields: Pushed = {}): Promise<PushResult> =>
  (await push(user, record(fields)))[0]!

/** A new category. */
export const newCategory = (name: string, fields: Pushed = {}, data: object = {}) =>
  record({ entity: 'category', data: { name, ...data }, ...fields })

/** A new QR code. */
export const newCode = (name: string, fields: Pushed = {}, data: object = {}) =>
  record({ entity: 'qrCode', data: { name, content: `content of ${name}`, ...data }, ...fields })

/** The same user on another device. */
export async function otherDevice(server: TestServer, user: Person): Promise<Person> {
  const deviceId = `another device of ${user.username} ${crypto.randomUUID()}`.replaceAll(' ', '-')
  const headers = { 'x-device-id': deviceId }
  const body = { account: user.username, password: user.password }
  const login = await send(server.url, 'POST', '/api/auth/login', { headers, body })
  return person(server.url, login, user.username, user.password, deviceId)
}

export const conflictsOf = async (user: Person, query: Record<string, string> = {}): Promise<ConflictView[]> =>
  ok(await user.get('/api/sync/conflicts', { size: 100, ...query })).data.items

export const resolve = (user: Person, conflictId: number, acceptServer: boolean): Promise<Reply<ResolvedConflict>> =>
  user.call('sync.resolve', { body: { conflictId, acceptServer } })

/** Waits until the clock of the server has passed a stamp. Stamps can be some milliseconds ahead. */
export async function untilAfter(server: TestServer, stamp: number): Promise<void> {
  const now = () => (inProcess ? server.clock.now() : Date.now())
  while (now() <= stamp + 1) await Bun.sleep(1)
}
