/** People who are contacts of each other, made through the public interface: these tests also run against the executable. */

import { ok, type Person } from '../harness/index.ts'

export async function makeContacts(a: Person, b: Person): Promise<void> {
  const { code } = ok(await b.call('contacts.card')).data
  const { id } = ok(await a.call('contacts.request', { body: { code } })).data
  ok(await b.call('contacts.accept', { params: { id }, body: {} }))
}
