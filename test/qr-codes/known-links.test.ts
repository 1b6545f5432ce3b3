/** Codes that were scanned are kept in memory: every change must be seen by the next scan. */

import { describe, expect, test } from 'bun:test'

import { topicsOf } from '#db/column-watch.ts'
import { findLead, isOwnerProved, leadsChanged } from '#domains/qr-codes/links/links.store.ts'

import { ok, type Person, type Reply, useServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from '../processes/several.ts'
import type { Code } from './helpers.ts'
import { csv, imported } from './link-files.ts'
import { changeLink, createLink, pathOf, scan } from './link-helpers.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const shown = ({ status, headers }: Reply) => headers.get('location') ?? status

/** Columns that are read, and need not empty the memory, with the reason. */
const APART: Readonly<Record<string, string>> = {
  'qr_slugs.slug': 'never changes',
  'qr_blanks.slug': 'never changes',
  'qr_codes.id': 'never changes',
  'qr_codes.uuid': 'never changes',
  'qr_codes.created_at': 'never changes',
  'qr_codes.name': 'is read again for pages',
  'qr_links.qr_code_id': 'never changes',
  'qr_links.scans_left': 'belongs to a limit, and codes with limits are not kept',
  'qr_links.rules_left': 'belongs to a limit, and codes with limits are not kept',
  'organizations.id': 'never changes',
  'content_erasures.user_id': 'never changes: a deletion inserts a row',
  'identities.provider': 'never changes',
  'users.id': 'never changes',
  'rbac_user_roles.user_id': 'never changes: roles are given and taken by rows',
  'rbac_roles.id': 'never changes',
  'rbac_roles.domain': 'never changes',
}

test('every column that a scan reads empties the memory when it is written', async () => {
  const texts: string[] = []
  const db = { runner: { rows: (text: string) => (texts.push(text), []) } } as never
  await findLead(db, 'slug')
  await findLead(db, 'Slug')
  await isOwnerProved(db, 1)
  const read = new Set(texts.flatMap((text) => [...text.matchAll(/"(\w+)"\."(\w+)"/g)].map(([, t, c]) => `${t}.${c}`)))
  expect(read.size).toBeGreaterThan(25)
  const unwatched = [...read].filter((column) => {
    const [table, name] = column.split('.')
    return !topicsOf(`update "${table}" set "${name}" = ? where "${table}"."id" = ?`).includes(leadsChanged)
  })
  expect(unwatched.filter((column) => !(column in APART))).toEqual([])
  expect(Object.keys(APART).filter((column) => !unwatched.includes(column))).toEqual([])
})

describe('the next scan sees', () => {
  const changes: [name: string, change: (code: Code) => Promise<unknown>, expected: string | number][] = [
    ['a new target', (code) => put(alice, code, { content: 'https://example.com/new' }), 'https://example.com/new'],
    ['a code that is no longer public', (code) => put(alice, code, { isPublic: false }), 404],
    ['a code that opens its page', (code) => put(alice, code, { opens: 'PAGE' }), 200],
    ['a code in the trash', async (code) => ok(await alice.delete(`/api/qr-codes/${code.id}`)), 404],
    ['a block', (code) => block(code, true), 403],
    ['a password', (code) => changeLink(alice, code, { password: 'tulip-market' }), 200],
    ['a warning', (code) => changeLink(alice, code, { warn: true }), 200],
    ['a limit of scans', (code) => changeLink(alice, code, { maxScans: 1 }), 'https://example.com/menu'],
    [
      'a rule',
      (code) => changeLink(alice, code, { rules: [{ target: 'https://example.com/phones', devices: ['IOS'] }] }),
      'https://example.com/phones',
    ],
  ]
  for (const [name, change, expected] of changes)
    test(name, async () => {
      const code = await createLink(alice)
      // Kept from the second scan on.
      for (const _ of [1, 2]) expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/menu')
      await change(code)
      expect(shown(await scan(server, pathOf(code)))).toBe(expected)
    })

  test('a code that is restored, unblocked and changed by its limits', async () => {
    const code = await createLink(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect(shown(await scan(server, pathOf(code)))).toBe(404)
    ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/menu')
    await block(code, true)
    expect(shown(await scan(server, pathOf(code)))).toBe(403)
    await block(code, false)
    await changeLink(alice, code, { maxScans: 1 })
    expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/menu')
    expect(shown(await scan(server, pathOf(code)))).toBe(410)
    await changeLink(alice, code, { maxScans: null })
    expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/menu')
  })

  test('an imported slug that differs in capitals from the one that was opened', async () => {
    const { slug } = await createLink(alice, 'https://example.com/menu', { slug: 'tulip-menu' })
    for (const _ of [1, 2]) expect(shown(await scan(server, '/q/Tulip-Menu'))).toBe('https://example.com/menu')
    expect(await imported(alice, csv('url,slug\nhttps://example.com/new,Tulip-Menu\n'))).toMatchObject({ created: 1 })
    expect(shown(await scan(server, '/q/Tulip-Menu'))).toBe('https://example.com/new')
    expect(shown(await scan(server, `/q/${slug}`))).toBe('https://example.com/menu')
  })

  test('a change while 40 scans are being answered', async () => {
    const code = await createLink(alice)
    const scans = Array.from({ length: 40 }, () => scan(server, pathOf(code)))
    await put(alice, code, { content: 'https://example.com/new' })
    expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/new')
    await Promise.all(scans)
    expect(shown(await scan(server, pathOf(code)))).toBe('https://example.com/new')
  })

  test.if(onPostgres)('a change through another process', async () => {
    await withServers(3, async ({ servers }) => {
      const me = await servers[0]!.person()
      const code = await createLink(me)
      for (const one of [...servers, ...servers])
        expect(shown(await scan(one, pathOf(code)))).toBe('https://example.com/menu')
      for (const [i, one] of servers.entries()) {
        const content = `https://example.com/${i}`
        ok(await sendTo(one, me, 'PUT', `/api/qr-codes/${code.id}`, { body: { content } }))
        for (const other of servers) expect(shown(await scan(other, pathOf(code)))).toBe(content)
      }
    })
  })
})

const put = async (who: Person, { id }: Code, body: object) => ok(await who.put(`/api/qr-codes/${id}`, body))
const block = async ({ id }: Code, blocked: boolean) =>
  ok(await admin.patch(`/api/admin/qr-codes/${id}/block`, { blocked }))
