/** Helpers for the tests of contacts. */

import { ok, type Person, type TestServer } from '../harness/index.ts'

export const codeOf = async (person: Person): Promise<string> => ok(await person.call('contacts.card')).data.code

/** Asks by the card of `to`. */
export const ask = async (from: Person, to: Person, more: object = {}) =>
  from.call('contacts.request', { body: { code: await codeOf(to), ...more } })

export const accept = (person: Person, id: number, remark?: string) =>
  person.call('contacts.accept', { params: { id }, body: { ...(remark !== undefined && { remark }) } })
export const reject = (person: Person, id: number, block?: boolean) =>
  person.call('contacts.reject', { params: { id }, body: { ...(block !== undefined && { block }) } })

/** Makes both contacts of each other. Returns the ids of their rows, `a`'s first. */
export async function befriend(a: Person, b: Person): Promise<[number, number]> {
  const { id } = ok(await ask(a, b)).data
  const ofB = ok(await accept(b, id)).data.id
  return [ok(await a.call('contacts.outgoing')).data.items[0]!.contactId!, ofB]
}

export const listed = async (person: Person, query: object = {}) =>
  ok(await person.call('contacts.list', { query: { size: 100, ...query } })).data
export const incoming = async (person: Person, query: object = {}) =>
  ok(await person.call('contacts.incoming', { query })).data
export const outgoing = async (person: Person, query: object = {}) =>
  ok(await person.call('contacts.outgoing', { query })).data
export const openCount = async (person: Person) => ok(await person.call('contacts.pendingCount')).data.count

export const block = (person: Person, contactId: number) => person.call('contacts.block', { params: { contactId } })
export const unblock = (person: Person, contactId: number) => person.call('contacts.unblock', { params: { contactId } })
export const remove = (person: Person, contactId: number) => person.call('contacts.delete', { params: { contactId } })

/** Signs users in again on their devices, after the clock has passed the end of their sessions. */
export async function signInAgain(server: TestServer, ...people: Person[]): Promise<void> {
  for (const person of people) {
    const body = { account: person.username, password: person.password }
    const login = ok(await server.request('POST', '/api/auth/login', { body, deviceId: person.deviceId }))
    Object.assign(person, { token: login.data.accessToken, sessionId: login.data.sessionId })
  }
}
