/** Slugs that several processes give at once. */

import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { ok, race } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const item = (slug: string) => ({ name: 'n', content: 'https://example.org/', slug })

describe.if(onPostgres)('with three processes', () => {
  test('one of 48 codes gets a slug that all of them want at once, in each of 3 rounds', async () => {
    await withServers(3, async ({ servers }) => {
      const people = await Promise.all(['ann', 'ben', 'cem'].map((name) => servers[0]!.person(name)))
      for (let round = 0; round < 3; round++) {
        const slug = `wanted-${round}`
        const codes = await Promise.all(
          people.map(async (person, i) => {
            const body = { ...item(`own-${round}-${i}`), isDynamic: true }
            return ok(await sendTo(servers[i]!, person, 'POST', '/api/qr-codes', { body })).data.id
          }),
        )
        // As many requests of each kind for each person, by another process each time.
        const replies = await race(48, (i) => {
          const [person, server] = [people[i % 3]!, servers[Math.floor(i / 3) % 3]!]
          if (i < 6) return sendTo(server, person, 'PUT', `/api/qr-codes/${codes[i % 3]}`, { body: { slug } })
          return i % 2
            ? sendTo(server, person, 'POST', '/api/qr-codes', { body: { ...item(slug), isDynamic: true } })
            : sendTo(server, person, 'POST', '/api/qr-codes/batch', { body: { items: [item(slug)] } })
        })
        const lists = await Promise.all(
          people.map(async (person, i) =>
            ok(await sendTo(servers[i]!, person, 'GET', '/api/qr-codes', { query: { size: 100 } })),
          ),
        )
        const holders = lists.flatMap(({ data }) => data.items).filter((code) => code.slug === slug)
        expect(holders).toHaveLength(1)
        const refused = replies.filter(({ status }) => status !== 200)
        // The code that has it may be asked to have it.
        expect(refused.length).toBeGreaterThanOrEqual(46)
        for (const { status, details } of refused)
          expect([status, details]).toMatchObject([400, [{ message: 'is taken' }]])
      }
    })
  })

  test('exactly as many slugs as the quota allows come from 30 requests', async () => {
    await withServers(3, async ({ servers }) => {
      const person = await servers[0]!.person()
      await servers[0]!.ctx.db.write('test.quota', (tx) => setSetting(tx, 'quota.slugs', 7))
      const replies = await race(30, (i) =>
        sendTo(servers[i % 3]!, person, 'POST', '/api/qr-codes', {
          body: { ...item(`slug-${i}`), isDynamic: i % 2 === 0 },
        }),
      )
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
      for (const { status, code } of replies.filter((reply) => reply.status !== 200))
        expect([status, code]).toEqual([429, 4022])
    })
  })
})
