/** Short links that are guessed: 20 wrong ones in a minute from one address are followed by 429, for wrong ones only. */

import { describe, expect, test } from 'bun:test'

import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createCode } from './helpers.ts'
import { createLink, pathOf, scan } from './link-helpers.ts'

const LIMIT = 20

describe('wrong short links', () => {
  const { server, alice } = useServer({
    people: ['alice'],
    rateLimit: true,
    config: { publicUrl: 'https://qr.example.org', shortUrl: 'https://go.example.org' },
  })
  let last = 0
  /** As nobody has it. */
  const address = () => `203.0.113.${(last += 1)}`
  const open = (path: string, ip: string, options: Parameters<typeof scan>[2] = {}) =>
    scan(server, path, { ...options, headers: { 'x-forwarded-for': ip, ...options.headers } })
  const guess = async (ip: string, count: number) => {
    for (let i = 0; i < count; i++) expect((await open(`/q/wrong-${i}`, ip)).status).toBe(404)
  }

  test('are refused by a page after 20 of them, whatever address of short links they have', async () => {
    const ip = address()
    const hidden = await createCode(alice, { content: 'https://example.com', isDynamic: true, isPublic: false })
    const short = { headers: { 'x-forwarded-host': 'go.example.org' } }
    const json = { headers: { accept: 'application/json' } }
    const ways = [
      () => open('/q/wrong', ip),
      () => open('/Q/WRONG', ip),
      () => open('/q/wrong', ip, { method: 'HEAD' }),
      () => open('/q/wrong', ip, { password: 'tulip' }),
      () => open('/q/wrong/info', ip),
      () => open('/q/wrong/info', ip, json),
      () => open('/wrong', ip, short),
      () => open('/wrong/info', ip, short),
      () => open('/q/not a slug', ip),
      // Otherwise one could tell private codes from unknown ones.
      () => open(pathOf(hidden), ip),
    ]
    for (let i = 0; i < LIMIT; i++) expect([i, (await ways[i % ways.length]!()).status]).toEqual([i, 404])
    for (const way of ways) {
      const reply = await way()
      expect([reply.status, Number(reply.headers.get('retry-after')) > 0]).toEqual([429, true])
    }
    const page = await open('/q/wrong', ip, { headers: { 'accept-language': 'zh' } })
    expect(page.text).toContain('短链接错误次数过多')
    expect(page.headers.get('x-robots-tag')).toBe('noindex')
    expect((await open('/q/wrong/info', ip, json)).code).toBe(4022)
    if (!inProcess) return
    server.clock.advance(MINUTE)
    expect((await open('/q/wrong', ip)).status).toBe(404)
  })

  test('do not count right ones, and never refuse them', async () => {
    const ip = address()
    const code = await createLink(alice)
    const { id } = ok(await alice.call('qrBlanks.create', { body: { count: 1, name: 'Labels' } })).data
    const [label] = ok(await alice.call('qrBlanks.list', { query: { batchId: id } })).data.items
    const right = async () => [
      (await open(pathOf(code), ip)).headers.get('location'),
      (await open(`${pathOf(code)}/info`, ip)).status,
      (await open(pathOf(label!), ip)).status,
    ]
    const expected = ['https://example.com/menu', 200, 200]
    for (let i = 0; i < LIMIT; i++) expect(await right()).toEqual(expected)
    await guess(ip, LIMIT)
    expect((await open('/q/wrong', ip)).status).toBe(429)
    expect(await right()).toEqual(expected)
    // The limit of labels for signed-in people is another one.
    expect((await alice.send('GET', `/api/qr-codes/blanks/${label!.slug}`)).status).toBe(200)
  })

  test('of other addresses are not refused, but of one IPv6 network they are', async () => {
    const ip = address()
    await guess(ip, LIMIT)
    expect((await open('/q/wrong', ip)).status).toBe(429)
    expect((await open('/q/wrong', address())).status).toBe(404)
    await guess('2001:db8:1:1::1', LIMIT)
    expect((await open('/q/wrong', '2001:db8:1:1::2')).status).toBe(429)
    expect((await open('/q/wrong', '2001:db8:1:2::2')).status).toBe(404)
  })

  test('at once are answered with 404 exactly 20 times', async () => {
    const ip = address()
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => open(`/q/wrong-${i}`, ip)))
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(LIMIT)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(60 - LIMIT)
  })
})

describe('without limits', () => {
  const { server } = useServer({ noAdmin: true })
  test('wrong short links are 404 however many there are', async () => {
    for (let i = 0; i < LIMIT + 5; i++) expect((await scan(server, `/q/wrong-${i}`)).status).toBe(404)
  })
})
