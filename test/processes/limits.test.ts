/** Limits that hold for all processes together. */

import { describe, expect, test } from 'bun:test'

import { counters } from '#db/schema/settings.ts'

import { openActivity } from '../activities/check-in-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { codeOf } from '../contacts/helpers.ts'
import { send } from '../harness/client.ts'
import { type Person, race, type TestServer, until } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

type Sending = (server: TestServer, nth: number) => Promise<{ readonly status: number; readonly code?: number }>

interface Secret {
  readonly limit: number
  /** The status of a wrong one that was compared. */
  readonly refusal: number
  readonly wrong: Sending
  /** Undefined if right ones are counted too. */
  readonly right?: Sending
}

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUV'
const codeNumber = (nth: number, length: number): string =>
  (ALPHABET[Math.floor(nth / 20) % 20]! + ALPHABET[nth % 20]!).padEnd(length, 'A')

/** Each kind of secret that is limited by address, with somebody who guesses it. */
const SECRETS: Readonly<Record<string, (server: TestServer, person: Person) => Promise<Secret>>> = {
  'join codes': async (_, person) => {
    const { code } = await createOrg(person, { joinPolicy: 'APPROVAL' })
    const join = (server: TestServer, code: string) =>
      sendTo(server, person, 'POST', '/api/orgs/join-by-code', { body: { code } })
    return {
      limit: 20,
      refusal: 404,
      wrong: (server, nth) => join(server, codeNumber(nth, 8)),
      right: (server) => join(server, code),
    }
  },
  'organization codes': async (_, person) => {
    const { code } = await createOrg(person, { visibility: 'PUBLIC' })
    const show = (server: TestServer, code: string) => send(server.url, 'GET', `/api/orgs/public/${code}`)
    return {
      limit: 20,
      refusal: 404,
      wrong: (server, nth) => show(server, codeNumber(nth, 8)),
      right: (server) => show(server, code),
    }
  },
  'card codes': async (_, person) => {
    const code = await codeOf(person)
    const find = (server: TestServer, code: string) => sendTo(server, person, 'GET', `/api/contacts/by-qr-code/${code}`)
    return {
      limit: 20,
      refusal: 404,
      wrong: (server, nth) => find(server, codeNumber(nth, 16)),
      right: (server) => find(server, code),
    }
  },
  'invite codes': async (server, person) => {
    const { id, inviteCode } = await createActivity(person, { visibility: 'INVITE_ONLY', status: 'ACTIVE' })
    const guest = await server.person()
    const see = (server: TestServer, code: string) => sendTo(server, guest, 'GET', `/api/activities/${id}?code=${code}`)
    return {
      limit: 20,
      refusal: 403,
      wrong: (server, nth) => see(server, codeNumber(nth, 8)),
      right: (server) => see(server, inviteCode!),
    }
  },
  'short codes': async (server, person) => {
    const { id } = await openActivity(server, person, { checkInConfig: { shortCode: '4711', maxPerUser: 0 } })
    const checkIn = (server: TestServer, shortCode: string) =>
      sendTo(server, person, 'POST', `/api/activities/${id}/check-in`, { body: { shortCode } })
    return {
      limit: 20,
      refusal: 400,
      wrong: (server, nth) => checkIn(server, `wrong${nth}`),
      right: (server) => checkIn(server, '4711'),
    }
  },
  'publisher keys': async () => ({
    limit: 60,
    refusal: 401,
    wrong: ({ url }, nth) =>
      send(url, 'POST', '/api/app/update/publish', { headers: { 'x-publish-key': `key ${nth}` }, body: {} }),
  }),
  'addresses of calendars': async () => ({
    limit: 60,
    refusal: 404,
    wrong: ({ url }, nth) => send(url, 'GET', `/public/calendars/${codeNumber(nth, 43)}.ics`),
  }),
  'passwords of unknown names': async () => ({
    limit: 60,
    refusal: 401,
    wrong: ({ url }, nth) =>
      send(url, 'POST', '/api/auth/login', {
        headers: { 'x-device-id': 'device-of-a-guesser' },
        body: { account: `nobody${nth}`, password: 'a guess' },
      }),
  }),
}

const statuses = async (replies: Promise<readonly { readonly status: number }[]>): Promise<number[]> =>
  (await replies).map(({ status }) => status)

describe.if(onPostgres).each(Object.keys(SECRETS))('with several processes, wrong %s', (name) => {
  test('are refused after the limit in each of two processes, and right ones too', async () => {
    await withServers(
      2,
      async ({ servers }) => {
        const { limit, refusal, wrong, right } = await SECRETS[name]!(servers[0]!, await servers[0]!.person())
        // Ends the windows of the preparation.
        for (const { clock } of servers) clock.advance(61_000)
        if (right) for (const server of servers) expect((await right(server, 0)).status).not.toBe(429)
        for (let nth = 0; nth < limit; nth++)
          expect([nth, (await wrong(servers[nth % 2]!, nth)).status]).toEqual([nth, refusal])
        for (const server of servers) {
          expect(await wrong(server, limit)).toMatchObject({ status: 429, code: 4022 })
          if (right) expect(await right(server, 0)).toMatchObject({ status: 429, code: 4022 })
        }
        for (const { clock } of servers) clock.advance(61_000)
        expect((await wrong(servers[0]!, 0)).status).toBe(refusal)
      },
      { rateLimit: true },
    )
  })

  test('that are sent at once to three processes are compared up to the limit', async () => {
    await withServers(
      3,
      async ({ servers }) => {
        const { limit, refusal, wrong } = await SECRETS[name]!(servers[0]!, await servers[0]!.person())
        for (const { clock } of servers) clock.advance(61_000)
        const all = await statuses(race(limit + 30, (nth) => wrong(servers[nth % 3]!, nth)))
        expect(all.filter((status) => status === refusal)).toHaveLength(limit)
        expect(all.filter((status) => status === 429)).toHaveLength(30)
      },
      { rateLimit: true },
    )
  })
})

describe.if(onPostgres)('with three processes', () => {
  test('any number of right codes from one address at once is accepted', async () => {
    await withServers(
      3,
      async ({ servers }) => {
        const { right } = await SECRETS['organization codes']!(servers[0]!, await servers[0]!.person())
        const all = await statuses(race(150, (nth) => right!(servers[nth % 3]!, nth)))
        expect(new Set(all)).toEqual(new Set([200]))
      },
      { rateLimit: true },
    )
  })

  test('a budget of an hour or less holds for all of them', async () => {
    await withServers(
      3,
      async ({ servers }) => {
        const admin = await servers[0]!.admin()
        const preview = (nth: number) =>
          sendTo(servers[nth % 3]!, admin, 'POST', '/api/admin/common/render-markdown', {
            body: { content: '# Title' },
          })
        const all = await statuses(race(70, preview))
        expect(all.filter((status) => status === 200)).toHaveLength(60)
        expect(all.filter((status) => status === 429)).toHaveLength(10)
      },
      { rateLimit: true },
    )
  })

  test('requests a minute from an address are counted by all of them together, nearly', async () => {
    await withServers(
      3,
      async ({ servers }) => {
        await until(() => servers.every(({ ctx }) => ctx.processes.alive === 3))
        let answered = 0
        for (const server of servers)
          for (let round = 0; round < 12; round++) {
            const all = await statuses(race(25, () => send(server.url, 'GET', '/api/app/update/latest')))
            answered += all.filter((status) => status === 200).length
          }
        // 300 a minute. Each process alone would answer as many.
        expect(answered).toBeGreaterThanOrEqual(100)
        expect(answered).toBeLessThanOrEqual(375)
      },
      { rateLimit: true },
    )
  })

  test('nothing is limited or counted with TESSERA_RATE_LIMIT=off', async () => {
    await withServers(2, async ({ servers }) => {
      const { wrong, refusal } = await SECRETS['join codes']!(servers[0]!, await servers[0]!.person())
      for (let nth = 0; nth < 25; nth++) expect((await wrong(servers[nth % 2]!, nth)).status).toBe(refusal)
      const keys = await servers[0]!.ctx.db.read.select({ key: counters.key }).from(counters)
      expect(keys.filter(({ key }) => key.startsWith('org code'))).toEqual([])
    })
  })
})
