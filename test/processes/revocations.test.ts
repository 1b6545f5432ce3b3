/** A right that one process has taken away is refused by the next request at every process. */

import { describe, expect, test } from 'bun:test'

import { revokePublisherKey } from '#db/publisher-keys.ts'

import { issueOne } from '../activities/gate-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { withPasses } from '../activities/pass-helpers.ts'
import { type Key, makeKey as makeApiKey } from '../api-keys/helpers.ts'
import { makeKey, placeOf, publish } from '../app-updates/helpers.ts'
import { connect, newKey } from '../chat/helpers.ts'
import { codeOf } from '../contacts/helpers.ts'
import { addPasskey } from '../harness/authenticator.ts'
import { send } from '../harness/client.ts'
import { ok, type Person, race, type TestServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

interface Right {
  /** Uses the right. Returns the status of the answer, or the reason of a gate. */
  readonly use: (at: TestServer) => Promise<unknown>
  readonly revoke: (at: TestServer) => Promise<unknown>
  /** The result of `use` afterwards. */
  readonly refusal: unknown
  /** Its result before; 200 by default. */
  readonly success?: unknown
}

interface World {
  readonly first: TestServer
  readonly admin: Person
  readonly ann: Person
  readonly bob: Person
}

const statusOf = async (reply: Promise<{ readonly status: number }>): Promise<number> => (await reply).status

/** By default a list that the key may read. */
const useKey = (at: TestServer, { key }: Key, method = 'GET', path = '/api/qr-codes', options = {}) =>
  send(at.url, method, path, { ...options, headers: { authorization: `Bearer ${key}` } })

const RIGHTS: Readonly<Record<string, (world: World) => Promise<Right>>> = {
  'a session that another one of its user ends': async ({ first, ann }) => {
    const deviceId = `device-${crypto.randomUUID()}`
    const body = { account: ann.username, password: ann.password }
    const { data } = ok(
      await send(first.url, 'POST', '/api/auth/login', { headers: { 'x-device-id': deviceId }, body }),
    )
    const lost = { ...ann, token: data.accessToken, deviceId }
    return {
      use: (at) => statusOf(sendTo(at, lost, 'GET', '/api/auth/userinfo')),
      revoke: async (at) => ok(await sendTo(at, ann, 'DELETE', `/api/auth/sessions/${data.sessionId}`)),
      refusal: 401,
    }
  },
  'an account that is disabled': async ({ first, admin }) => {
    const carol = await first.person()
    const body = { status: 'DISABLED' }
    return {
      use: (at) => statusOf(sendTo(at, carol, 'GET', '/api/auth/userinfo')),
      revoke: async (at) => ok(await sendTo(at, admin, 'PATCH', `/api/admin/users/${carol.id}/status`, { body })),
      refusal: 401,
    }
  },
  'a membership': async ({ ann, bob }) => {
    const org = await createOrg(ann)
    await addMembers(ann, org, bob)
    return {
      use: (at) => statusOf(sendTo(at, bob, 'GET', `/api/orgs/${org.id}/members`)),
      revoke: async (at) => ok(await sendTo(at, ann, 'DELETE', `/api/orgs/${org.id}/members/${bob.id}`)),
      refusal: 403,
    }
  },
  'a membership without the second factor that the organization requires from now on': async ({ first, bob }) => {
    const owner = await first.person()
    await addPasskey(owner)
    ok(await owner.call('passkeys.require', { body: { required: true } }))
    const org = await createOrg(owner)
    await addMembers(owner, org, bob)
    const body = { requireSecondFactor: true }
    return {
      use: (at) => statusOf(sendTo(at, bob, 'GET', `/api/orgs/${org.id}/members`)),
      revoke: async (at) => ok(await sendTo(at, owner, 'PUT', `/api/orgs/${org.id}`, { body })),
      refusal: 403,
    }
  },
  'a role in an organization': async ({ ann, bob }) => {
    const org = await createOrg(ann)
    await addMembers(ann, org, bob)
    await setRole(ann, org, bob, 'ADMIN')
    const path = `/api/orgs/${org.id}/members/${bob.id}`
    return {
      use: (at) => statusOf(sendTo(at, bob, 'PUT', `/api/orgs/${org.id}`, { body: { name: 'Harbour' } })),
      revoke: async (at) => ok(await sendTo(at, ann, 'PUT', path, { body: { roleCode: 'MEMBER' } })),
      refusal: 403,
    }
  },
  'an organization that is disabled': async ({ admin, ann }) => {
    const org = await createOrg(ann)
    const body = { status: 'DISABLED' }
    return {
      use: (at) => statusOf(sendTo(at, ann, 'PUT', `/api/orgs/${org.id}`, { body: { name: 'Harbour' } })),
      revoke: async (at) => ok(await sendTo(at, admin, 'PUT', `/api/admin/orgs/${org.id}`, { body })),
      refusal: 403,
    }
  },
  'a contact that blocks': async ({ first, ann }) => {
    const carol = await first.person()
    await connect(first, ann, carol)
    const [contact] = ok(await carol.get('/api/contacts')).data.items
    const message = () => ({ toUserId: carol.id, clientMsgId: newKey(), type: 'TEXT', content: { text: 'hello' } })
    return {
      use: (at) => statusOf(sendTo(at, ann, 'POST', '/api/chats/messages', { body: message() })),
      revoke: async (at) => ok(await sendTo(at, carol, 'POST', `/api/contacts/${contact.id}/block`)),
      refusal: 403,
    }
  },
  'a pass': async ({ ann }) => {
    const { id } = await withPasses(ann)
    const pass = await issueOne(ann, id)
    return {
      use: async (at) => {
        const body = { passUuid: pass.uuid }
        return ok(await sendTo(at, ann, 'POST', `/api/activities/${id}/pass/verify`, { body })).data.reason
      },
      revoke: async (at) => ok(await sendTo(at, ann, 'PUT', `/api/passes/${pass.id}/revoke`, { body: {} })),
      success: null,
      refusal: 'REVOKED',
    }
  },
  'an API key': async ({ first, ann }) => {
    const key = await makeApiKey(first, ann)
    return {
      use: (at) => statusOf(useKey(at, key)),
      revoke: async (at) => ok(await sendTo(at, ann, 'DELETE', `/api/auth/api-keys/${key.id}`)),
      refusal: 401,
    }
  },
  'a role of the owner of an API key': async ({ first, ann, bob }) => {
    const org = await createOrg(ann)
    await addMembers(ann, org, bob)
    await setRole(ann, org, bob, 'ADMIN')
    const key = await makeApiKey(first, bob, { orgId: org.id, points: ['org:update'] })
    const body = { name: 'Harbour' }
    return {
      use: (at) => statusOf(useKey(at, key, 'PUT', `/api/orgs/${org.id}`, { body })),
      revoke: (at) => sendTo(at, ann, 'PUT', `/api/orgs/${org.id}/members/${bob.id}`, { body: { roleCode: 'MEMBER' } }),
      refusal: 403,
    }
  },
  'an API key whose owner is disabled': async ({ first, admin }) => {
    const carol = await first.person()
    const key = await makeApiKey(first, carol)
    const body = { status: 'DISABLED' }
    return {
      use: (at) => statusOf(useKey(at, key)),
      revoke: async (at) => ok(await sendTo(at, admin, 'PATCH', `/api/admin/users/${carol.id}/status`, { body })),
      refusal: 401,
    }
  },
  'a publisher key': async ({ first }) => {
    const { key, id } = await makeKey(first)
    return {
      use: (at) => statusOf(publish(at, key, {})),
      revoke: (at) => revokePublisherKey(placeOf(at), id),
      // The body is not valid, which is found out after the key was accepted.
      success: 400,
      refusal: 401,
    }
  },
  'the code of a card': async ({ ann, bob }) => {
    const code = await codeOf(ann)
    return {
      use: (at) => statusOf(sendTo(at, bob, 'GET', `/api/contacts/by-qr-code/${code}`)),
      revoke: async (at) => ok(await sendTo(at, ann, 'POST', '/api/contacts/my-qrcode/refresh')),
      refusal: 404,
    }
  },
  'the code of an organization': async ({ ann, bob }) => {
    const org = await createOrg(ann, { visibility: 'PUBLIC' })
    return {
      use: (at) => statusOf(sendTo(at, bob, 'GET', `/api/orgs/public/${org.code}`)),
      revoke: async (at) => ok(await sendTo(at, ann, 'POST', `/api/orgs/${org.id}/reset-code`)),
      refusal: 404,
    }
  },
  'an activity for invited users only': async ({ ann, bob }) => {
    const { id } = await createActivity(ann, { visibility: 'PUBLIC', status: 'ACTIVE' })
    const body = { visibility: 'INVITE_ONLY' }
    return {
      use: (at) => statusOf(sendTo(at, bob, 'GET', `/api/activities/${id}`)),
      revoke: async (at) => ok(await sendTo(at, ann, 'PUT', `/api/activities/${id}`, { body })),
      refusal: 403,
    }
  },
}

describe.if(onPostgres)('with three processes', () => {
  test('no process grants a right after another one has answered that it is revoked', async () => {
    await withServers(3, async ({ servers }) => {
      const first = servers[0]!
      const world = { first, admin: await first.admin(), ann: await first.person(), bob: await first.person() }
      for (const [nth, revoking] of servers.entries())
        for (const [name, create] of Object.entries(RIGHTS)) {
          const { use, revoke, refusal, success = 200 } = await create(world)
          // Afterwards each process has it in its caches.
          for (const server of servers) expect([name, await use(server)]).toEqual([name, success])
          await revoke(revoking)
          const answers = await race(9, (i) => use(servers[i % 3]!))
          expect([name, nth, ...answers]).toEqual([name, nth, ...Array(9).fill(refusal)])
        }
    })
  })

  test('an answer of a passkey that one process has taken is refused by the others', async () => {
    await withServers(2, async ({ servers: [first, second] }) => {
      const { key } = await addPasskey(await first!.person())
      const answer = async () => {
        const { challengeId, publicKey } = (await send(first!.url, 'POST', '/api/auth/passkey-login/options')).data
        return { challengeId, credential: key.get(publicKey) }
      }
      const signIn = ({ url }: TestServer, body: object) =>
        statusOf(send(url, 'POST', '/api/auth/passkey-login', { body }))
      const body = await answer()
      expect([await signIn(second!, body), await signIn(first!, body), await signIn(second!, body)]).toEqual([
        200, 400, 400,
      ])
      const again = await answer()
      const statuses = await race(20, (i) => signIn(i % 2 === 0 ? first! : second!, again))
      expect(statuses.toSorted()).toEqual([200, ...Array(19).fill(400)])
    })
  })
})
