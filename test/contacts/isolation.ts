import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'
import { ask, befriend } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ server, victim, mark }) {
    const [friend, stranger] = [await server.person(), await server.person()]
    const [contact] = await befriend(victim, friend)
    ok(await victim.call('contacts.setRemark', { params: { contactId: contact }, body: { remark: mark } }))
    ok(await victim.call('contacts.setTags', { params: { contactId: contact }, body: { tags: [mark] } }))
    const request = ok(await ask(stranger, victim, { message: mark })).data.id
    return { contact, contactRequest: request }
  },
  paths: [
    [/^\/api\/contacts\/:id\/(accept|reject)$/, 'contactRequest'],
    // A card's code is for everybody who has it; the number of a row is a wrong code.
    [/^\/api\/contacts\//, 'contact'],
  ],
  fields: { contactId: 'contact' },
  reads: ({ contact }) => [
    '/api/contacts?size=100',
    `/api/contacts/${contact}`,
    '/api/contacts/incoming?size=100',
    '/api/contacts/outgoing?size=100',
    '/api/contacts/my-qrcode',
    '/api/contacts/settings',
  ],
}
