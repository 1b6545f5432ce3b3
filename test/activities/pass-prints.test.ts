/** Passes for printing: `format=pdf`. */

import { expect, test } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { ok, useServer } from '../harness/index.ts'
import { codesOf, readPdf } from '../lib/pdf-files.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const { server, admin, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const printed = (id: number, query: Record<string, string> = {}, locale = 'en') =>
  alice.send('GET', `/api/activities/${id}/pass/passes`, {
    query: { format: 'pdf', ...query },
    headers: { 'accept-language': locale },
  })

test('a page has eight passes with names, fields, validity and codes that a scanner reads', async () => {
  const template = await createTemplate(alice, { color: '#1F6FEB', fields: [{ key: 'seat', label: '座位' }] })
  const { id } = await withPasses(alice, {
    name: 'Spring concert 春季音乐会',
    passConfig: { templateId: template.id },
  })
  const validFrom = Date.UTC(2040, 5, 1, 23, 30)
  const holders = [
    { name: '王小明', fields: { seat: '4 排 12 号' } },
    { name: 'Zoë (VIP) \\ "A"' },
    { name: `${'Very long '.repeat(9)}name` },
    ...guests(7),
  ]
  const passes = await issued(alice, id, { holders, validFrom, validTo: validFrom + HOUR })

  const { bytes, headers } = await printed(id, { tz: 'Asia/Shanghai' })
  expect(headers.get('content-type')).toBe('application/pdf')
  expect(headers.get('content-disposition')).toBe(`attachment; filename="passes-${id}.pdf"`)
  const file = await readPdf(bytes)
  expect(file.title).toBe('Spring concert 春季音乐会')
  expect(file.pages).toHaveLength(2)
  const [first, second] = file.pages
  for (const text of ['王小明', '座位: 4 排 12 号', 'Zoë (VIP) \\ "A"', 'Guest 5', `Pass ${passes[7]!.id}`])
    expect(first).toContain(text)
  expect(first!.split('Valid from 2040-06-02 07:30')).toHaveLength(9)
  expect(first!.split('Valid until 2040-06-02 08:30')).toHaveLength(9)
  expect(first!.split('China Standard Time, UTC+8')).toHaveLength(9)
  expect(first).toMatch(/Very long Very\n?.*…/s)
  expect(first).not.toContain('Guest 6')
  expect(second).toContain('Guest 6')

  const codes = [...(await codesOf(await file.picture(1, 150))), ...(await codesOf(await file.picture(2, 150)))]
  expect(codes.map(({ text }) => text)).toEqual(passes.map(({ qrContent }) => qrContent!))
  // At least 35 mm, at 150 dots per inch.
  for (const { width } of codes) expect((width / 150) * 25.4).toBeGreaterThan(35)
})

test('the short name of the server is beside the number, whatever its characters are', async () => {
  const { id } = await withPasses(alice)
  const [pass] = await issued(alice, id, { holderName: 'Ann' })
  for (const shortName of ['Willow', '😀'.repeat(12), 'مكتبة', '<script>)"']) {
    ok(await admin.call('server.identity.update', { body: { name: 'Willow Street', shortName } }))
    const { pages, picture } = await readPdf((await printed(id)).bytes)
    expect(pages[0]).toContain(`Pass ${pass!.id} · `)
    if (shortName === 'Willow') expect(pages[0]).toContain(`Pass ${pass!.id} · Willow`)
    expect((await codesOf(await picture(1, 150))).map(({ text }) => text)).toEqual([pass!.qrContent!])
  }
  ok(await admin.call('server.identity.update', { body: {} }))
  const { pages } = await readPdf((await printed(id)).bytes)
  expect(pages[0]).not.toContain(' · ')
})

test('the filters select passes; those that are revoked or expired are printed without a code', async () => {
  const { id } = await withPasses(alice)
  const [live, lost, ended] = [
    (await issued(alice, id, { holderName: 'Live' }))[0]!,
    (await issued(alice, id, { holderName: 'Lost' }))[0]!,
    (await issued(alice, id, { holderName: 'Ended', validTo: Date.now() - HOUR }))[0]!,
  ]
  ok(await alice.call('passes.revoke', { params: { passId: lost.id }, body: {} }))
  const all = await readPdf((await printed(id)).bytes)
  for (const text of ['Live', 'Lost', 'Revoked', 'Ended', 'Expired']) expect(all.pages[0]).toContain(text)
  expect((await codesOf(await all.picture(1, 150))).map(({ text }) => text)).toEqual([live.qrContent!])
  const some = await readPdf((await printed(id, { status: 'EXPIRED' }, 'zh')).bytes)
  expect(some.pages[0]).toContain('已过期')
  expect(some.pages[0]).toContain(`通行证 ${ended.id}`)
  expect(some.pages[0]).not.toContain('Live')
})

test('a file without passes has a page that says so', async () => {
  const { id } = await withPasses(alice)
  const { pages } = await readPdf((await printed(id, { keyword: 'nobody' })).bytes)
  expect(pages).toEqual(['No passes were selected.'])
})

test('names and fields of any characters and any length stay inside their pass', async () => {
  const { id } = await withPasses(alice, { name: '活动）) Tj ET'.repeat(10) })
  const fields = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`Label (${i}) \\`, ['W', '王', 'a b ', '😀', 'ő'][i % 5]!.repeat(40)]),
  )
  const passes = await issued(alice, id, {
    holders: [
      { name: 'W'.repeat(100) },
      { name: '宽'.repeat(100) },
      { name: `${'e\u0301'.repeat(90)}` },
      { name: '😀' },
    ],
    fields,
  })
  const { bytes } = await printed(id)
  const file = await readPdf(bytes)
  expect(file.pages).toHaveLength(1)
  for (let i = 0; i < 10; i++) expect(file.pages[0]!.split(`Label (${i}) \\:`)).toHaveLength(5)
  expect((await codesOf(await file.picture(1, 150))).map(({ text }) => text)).toEqual(
    passes.map(({ qrContent }) => qrContent!),
  )
})

test('files for printing are refused to holders and strangers, and in a zone that does not exist', async () => {
  const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
  await issued(alice, id, { userId: bob.id })
  for (const person of [bob, mallory])
    expect((await person.call('passes.list', { params: { id }, query: { format: 'pdf' } })).status).toBe(403)
  for (const format of ['pdf', 'csv']) {
    const { status, details } = await printed(id, { format, tz: 'Mars/Olympus' })
    expect({ status, paths: details.map(({ path }) => path) }).toEqual({ status: 400, paths: ['query.tz'] })
  }
  expect((await server.request('GET', `/api/activities/${id}/pass/passes?format=pdf`)).status).toBe(401)
})

test('times without a zone in the request are in that of the activity, which the passes name', async () => {
  const { id } = await withPasses(alice, { timeZone: 'America/New_York' })
  const validFrom = Date.UTC(2040, 5, 1, 3, 30)
  await issued(alice, id, { holderName: 'A', validFrom, validTo: validFrom + HOUR })
  const { pages } = await readPdf((await printed(id)).bytes)
  expect(pages[0]).toContain('Valid from 2040-05-31 23:30')
  expect(pages[0]).toContain('Eastern Daylight Time, UTC-4')
})

test('a validity in which clocks are changed has the IANA name of its zone', async () => {
  const { id } = await withPasses(alice, { timeZone: 'America/New_York' })
  await issued(alice, id, { holderName: 'A', validFrom: Date.UTC(2040, 5, 1), validTo: Date.UTC(2040, 11, 1) })
  const { pages } = await readPdf((await printed(id)).bytes)
  expect(pages[0]).toContain('\nAmerica/New_York')
})
