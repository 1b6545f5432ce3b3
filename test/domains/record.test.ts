/** The parts of a domain record work together: events inside the write, contributions, start and stop. */

import { describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'
import { badRequest } from '#http/errors.ts'

import { inProcess, ok, startServer, useServer } from '../harness/index.ts'

describe.if(inProcess)('an event', () => {
  let refusing = true
  const heard: number[] = []
  const committed: number[] = []
  const auditing = domain({
    name: 'auditing',
    on: {
      'user.deleting': (_ctx, tx, { userId }) => {
        heard.push(userId)
        tx.afterCommit(() => committed.push(userId))
        if (refusing) throw badRequest('This account is needed', '需要此账号')
      },
    },
  })
  const { alice } = useServer({ people: ['alice'], domains: (product) => [...product, auditing] })

  test('is refused by a listener that throws, and then nothing of the write remains', async () => {
    const refused = await alice.call('auth.deleteAccount')
    expect([refused.status, refused.message]).toEqual([400, 'This account is needed'])
    expect(heard).toEqual([alice.id])
    expect(committed).toEqual([])
    expect(ok(await alice.call('profile.get')).data.username).toBe('alice')
  })

  test('reaches listeners inside the write, and their effects run after the commit', async () => {
    refusing = false
    ok(await alice.call('auth.deleteAccount'))
    expect(committed).toEqual([alice.id])
    expect((await alice.call('profile.get')).status).toBe(401)
  })
})

describe.if(inProcess)('a contributed landing page', () => {
  const passes = domain({
    name: 'passes',
    landingPages: {
      pass: async (_ctx, { id, caller }) =>
        id === 'known'
          ? new Response(`pass, ${caller.locale}`, { headers: { 'content-type': 'text/html' } })
          : undefined,
    },
  })
  const { server } = useServer({ domains: (product) => [...product, passes] })

  test('answers its type of /s/{type}/{id}', async () => {
    const page = await server.request('GET', '/s/pass/known', { headers: { 'accept-language': 'zh' } })
    expect([page.status, page.text]).toEqual([200, 'pass, zh'])
  })

  test('is 404 for unknown ids and for types that no domain serves, as a page or as JSON', async () => {
    for (const path of ['/s/pass/other', '/s/activity/known', '/s/toString/known', '/s/constructor/known']) {
      expect((await server.request('GET', path)).headers.get('content-type'), path).toContain('text/html')
      const json = await server.request('GET', path, { headers: { accept: 'application/json' } })
      expect([json.status, json.code], path).toEqual([404, 404])
    }
  })
})

test.if(inProcess)(
  'domains start in the order of the list, before the server answers, and stop in reverse',
  async () => {
    const steps: string[] = []
    const recording = (name: string) =>
      domain({
        name,
        seed: async () => void steps.push(`${name} seeds`),
        start: async () => void steps.push(`${name} starts`),
        stop: async () => void steps.push(`${name} stops`),
      })
    const server = await startServer({ domains: (product) => [...product, recording('first'), recording('second')] })
    await server.stop()
    expect(steps).toEqual([
      'first seeds',
      'second seeds',
      'first starts',
      'second starts',
      'second stops',
      'first stops',
    ])
  },
)
