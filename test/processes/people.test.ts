/** Codes and invitations that work once, redeemed and accepted through several processes. */

import { describe, expect, test } from 'bun:test'

import { newEmail } from '../accounts/helpers.ts'
import { ok, type Person, race, startGateways, type TestServer, until } from '../harness/index.ts'
import { createOrg, getOrg } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const ACCEPTANCES = 30
/** With the owner. */
const MEMBERS = 12

describe.if(onPostgres)('with three processes', () => {
  test('30 acceptances at once fill an organization exactly to its limit', async () => {
    const gateways = await startGateways()
    try {
      await withServers(
        3,
        async ({ servers }) => {
          const [first] = servers as [TestServer, ...TestServer[]]
          const root = await first.admin()
          const org = await createOrg(root, { memberLimit: MEMBERS })
          const emails = Array.from({ length: ACCEPTANCES }, newEmail)
          ok(await root.call('orgs.inviteByMail', { params: { id: org.id }, body: { emails } }))
          await until(() => emails.every((email) => gateways.mails.some(({ to }) => to === email)))
          const tokens = emails.map(
            (email) => /\/console\/invited#(\S{43})/.exec(gateways.mails.find(({ to }) => to === email)!.text)![1]!,
          )
          const people: Person[] = []
          for (let i = 0; i < ACCEPTANCES; i++) people.push(await first.person())
          const accept = (i: number) =>
            sendTo(servers[i % 3]!, people[i]!, 'POST', `/api/invitations/${tokens[i]!}/accept`)
          const replies = await race(ACCEPTANCES, (i) => accept(i))
          expect(replies.filter(({ status }) => status === 200)).toHaveLength(MEMBERS - 1)
          expect(replies.filter(({ status }) => status === 400)).toHaveLength(ACCEPTANCES - MEMBERS + 1)
          expect((await getOrg(root, org)).memberCount).toBe(MEMBERS)

          // One who got no place is still invited, whichever process answers; of those who have the same link, one gets in.
          ok(await root.call('orgs.update', { params: { id: org.id }, body: { memberLimit: ACCEPTANCES } }))
          const open = replies.findIndex(({ status }) => status === 400)
          const late = people.filter((_person, i) => replies[i]!.status === 400).slice(0, 6)
          const shared = await race(late.length, (i) =>
            sendTo(servers[i % 3]!, late[i]!, 'POST', `/api/invitations/${tokens[open]!}/accept`),
          )
          expect(shared.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404])
          expect((await getOrg(root, org)).memberCount).toBe(MEMBERS + 1)
        },
        gateways.config,
      )
    } finally {
      await gateways.stop()
    }
  })

  test('a start code sets one password, and five wrong tries are counted together', async () => {
    await withServers(3, async ({ servers }) => {
      const [first] = servers as [TestServer, ...TestServer[]]
      const root = await first.admin()
      ok(await root.call('admin.settings.update', { body: { values: { 'security.adminResetCodes': true } } }))
      const redeem = (nth: number, account: string, code: string, newPassword: string) =>
        servers[nth % 3]!.request('POST', '/api/auth/password/redeem', { body: { account, code, newPassword } })
      const codeOf = async (userId: number) =>
        ok(await root.call('admin.users.resetCode', { params: { userId }, body: {} })).data.code
      const passwordOf = (nth: number) => `password of process ${nth}, by a race`

      const pupil = await first.person()
      const code = await codeOf(pupil.id)
      const replies = await race(9, (nth) => redeem(nth, pupil.username, code, passwordOf(nth)))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      const winner = replies.findIndex(({ status }) => status === 200)
      const signIn = (nth: number) =>
        servers[(nth + 1) % 3]!.request('POST', '/api/auth/login', {
          body: { account: pupil.username, password: passwordOf(nth) },
        })
      // After five wrong passwords, no password would be accepted.
      expect((await signIn(winner)).status).toBe(200)
      for (const nth of replies.keys()) if (nth !== winner) expect((await signIn(nth)).status).not.toBe(200)

      const guessed = await first.person()
      const right = await codeOf(guessed.id)
      const guesses = await race(9, (nth) => redeem(nth, guessed.username, 'AAAA-AAAA-AAAA-AAAA', passwordOf(nth)))
      expect(guesses.every(({ status }) => status === 400)).toBe(true)
      expect((await redeem(1, guessed.username, right, passwordOf(1))).status).toBe(400)
    })
  })
})
