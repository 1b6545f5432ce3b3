import { beforeAll, describe, expect, spyOn, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import { spend } from '#db/counters.ts'
import { SLUGS_FROM_FILES } from '#domains/qr-codes/importing/importing.model.ts'

import { xlsx } from '../assets/sheets.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'
import { bitlyJson, csv, dubJson, imported, importLinks, shlinkJson } from './link-files.ts'

const { server, alice, bob, carol, owner, member } = useServer({
  people: ['alice', 'bob', 'carol', 'owner', 'member'],
  noAdmin: true,
})
let org: Org

interface ImportError {
  row: number
  column: string | null
}

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, member)
})

const codesOf = async (person: Person, query: object = {}) =>
  ok(await person.call('qrCodes.list', { query: { size: 100, ...query } as never })).data.items
/** As a browser: a link with a limit shows robots no target. */
const scan = (slug: string) =>
  fetch(`${server.url}/q/${slug}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' },
  })

describe('files of other services', () => {
  test('of Bitly: targets, back-halves, titles, tags and dates', async () => {
    const result = await imported(alice, bitlyJson(3), { keepSlugs: true })
    expect(result).toMatchObject({ source: 'BITLY', total: 3, created: 3, updated: 0, errors: [] })
    const [code] = await codesOf(alice, { keyword: 'Bitly 0' })
    expect(code).toMatchObject({
      name: 'Bitly 0',
      content: 'https://example.com/bitly/0?a=1',
      slug: '3xYz0',
      isDynamic: true,
      isPublic: true,
      opens: 'TARGET',
      tags: ['spring', 'print'],
      createdAt: Date.UTC(2024, 2, 1, 9, 30),
    })
    const answer = await scan('3xYz0')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://example.com/bitly/0?a=1'])
  })

  test('of Dub: devices and countries become rules, and a password is named as left out', async () => {
    const dry = await imported(alice, dubJson(2, { geo: null }), { dryRun: true })
    expect(dry).toMatchObject({ source: 'DUB', created: 2, errors: [] })
    expect(dry.ignoredColumns).toContain('password')
    await imported(alice, dubJson(2, { geo: null }))
    const [code] = await codesOf(alice, { keyword: 'Dub 1' })
    const link = ok(await alice.call('qrCodes.link', { params: { id: code!.id } })).data
    expect(link).toMatchObject({
      rules: [
        { target: 'https://apps.apple.com/1', devices: ['IOS'] },
        { target: 'https://play.google.com/1', devices: ['ANDROID'] },
      ],
      fallbackUrl: 'https://example.com/over',
      expiresAt: Date.UTC(2036, 0, 1),
      earlierScans: 41,
      hasPassword: false,
    })
  })

  test('of links that have expired, which stay so', async () => {
    const rows = 'url,slug,expires_at\nhttps://example.com/over,was-over,2001-01-01\n'
    expect(await imported(alice, csv(rows))).toMatchObject({ created: 1 })
    expect((await scan('was-over')).status).toBe(410)
    const { errors } = await imported(alice, csv('slug,expires_at\nwas-over,2002-01-01\n'), {
      mode: 'UPDATE',
      dryRun: true,
    })
    expect(errors).toMatchObject([{ row: 2, column: 'expires_at' }])
  })

  test('of Shlink: limits, tags and the visits so far, which are not counted as scans', async () => {
    expect(await imported(bob, shlinkJson(2))).toMatchObject({ source: 'SHLINK', created: 2 })
    const [code] = await codesOf(bob, { keyword: 'shlink/1' })
    expect(code).toMatchObject({ slug: 'shl_1', scanCount: 0, name: 'example.com/shlink/1', tags: ['a', 'b'] })
    const link = ok(await bob.call('qrCodes.link', { params: { id: code!.id } })).data
    expect(link).toMatchObject({ maxScans: 100, earlierScans: 7, expiresAt: null })
  })

  test('3,000 links keep their slugs', async () => {
    const result = await imported(carol, shlinkJson(3000, 'many_'))
    expect(result).toMatchObject({ total: 3000, created: 3000 })
    expect((await scan('many_2999')).headers.get('location')).toBe('https://example.com/shlink/2999')
  })
})

describe('tables', () => {
  test.each([
    ['with a byte order mark and semicolons', '\uFEFFurl;title;slug\nhttps://example.com/bom;Über;bom-link\n', 'Über'],
    [
      'in GBK',
      Buffer.concat([
        Buffer.from('url,title,slug\nhttps://example.com/gbk,'),
        Buffer.from('b2cbb5a5', 'hex'),
        Buffer.from(',gbk-link\n'),
      ]),
      '菜单',
    ],
  ] as const)('CSV %s', async (_, bytes, name) => {
    const { preview } = await imported(alice, csv(bytes), { dryRun: true })
    expect(preview[0]!.name).toBe(name)
  })

  test('a workbook, and a formula counts as its text', async () => {
    const rows = [
      ['Ziel', 'Kürzel', 'Titel'],
      ['https://example.com/x', 'from-xlsx', '=1+1'],
    ]
    const file = new File([xlsx({ Links: rows })], 'links.xlsx')
    const mapping = JSON.stringify({ Ziel: 'target', Kürzel: 'slug', Titel: 'name' })
    expect(await imported(alice, file, { mapping })).toMatchObject({ created: 1, ignoredColumns: [] })
    expect((await codesOf(alice, { keyword: 'example.com/x' }))[0]).toMatchObject({ slug: 'from-xlsx', name: '=1+1' })
  })

  test('own export: an update changes nothing, and changed targets count', async () => {
    const text = async () =>
      (await alice.send('POST', '/api/qr-codes/batch/export', { body: { format: 'csv', all: true } })).text
    const before = await codesOf(alice)
    const unchanged = await imported(alice, csv(await text()), { mode: 'UPDATE' })
    expect(unchanged).toMatchObject({ source: 'TESSERA', total: before.length, unchanged: before.length, errors: [] })
    expect(await codesOf(alice)).toEqual(before)
    const changed = (await text()).replaceAll('https://example.com/bitly/1', 'https://example.org/moved/1')
    expect(await imported(alice, csv(changed), { mode: 'UPDATE' })).toMatchObject({
      updated: 1,
      unchanged: before.length - 1,
    })
    expect((await scan('3xYz1')).headers.get('location')).toBe('https://example.org/moved/1?a=1')
  })

  test('own export: values that cells cannot hold as they are stay, too', async () => {
    const codes = [
      { name: 'two  spaces', content: ' https://example.com/spaces ', isDynamic: true, tags: ['a, b', 'c|d', 'e'] },
      { name: 'a card', content: 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n' },
      { name: '=1+1', content: "'=SUM(A1)", remark: '+49 30\n123', tags: ['a|b'] },
    ]
    for (const body of codes) await createCode(bob, body)
    const before = await codesOf(bob)
    for (const format of ['csv', 'xlsx']) {
      const { bytes } = await bob.send('POST', '/api/qr-codes/batch/export', { body: { format, all: true } })
      const file = new File([new Uint8Array(bytes)], `own.${format}`)
      for (const clearEmpty of [false, true]) {
        const result = await imported(bob, file, { mode: 'UPDATE', clearEmpty })
        expect(result).toMatchObject({ total: before.length, unchanged: before.length, errors: [] })
      }
    }
    expect(await codesOf(bob)).toEqual(before)
  })

  test('own export: rules that are too long for a cell of a workbook are not lost', async () => {
    const me = await server.person()
    const code = await createCode(me, { content: 'https://example.com/rules', isDynamic: true })
    const target = 'https://example.com/'.padEnd(2048, 'x')
    const rules = Array.from({ length: 20 }, () => ({ target, devices: ['IOS'] }))
    ok(await me.put(`/api/qr-codes/${code.id}/link`, { rules }))
    const exported = async (format: string) => {
      const { bytes } = ok(await me.send('POST', '/api/qr-codes/batch/export', { body: { format, all: true } }))
      return new File([new Uint8Array(bytes)], `own.${format}`)
    }
    const workbook = await importLinks(me, await exported('xlsx'), { mode: 'UPDATE', clearEmpty: true })
    expect([workbook.status, workbook.details.map(({ path }) => path)]).toEqual([400, ['rows.2.rules']])
    expect(await imported(me, await exported('csv'), { mode: 'UPDATE' })).toMatchObject({ unchanged: 1 })
    expect(ok(await me.get(`/api/qr-codes/${code.id}/link`)).data.rules).toHaveLength(20)
  })

  test('the column `opens` changes codes that exist', async () => {
    const { slug, id, version } = await createCode(alice, { content: 'https://example.com/opens', isDynamic: true })
    const change = (opens: string) => imported(alice, csv(`slug,opens\n${slug},${opens}\n`), { mode: 'UPDATE' })
    expect(await change('TARGET')).toMatchObject({ unchanged: 1 })
    expect(await change('PAGE')).toMatchObject({ updated: 1 })
    const { data } = ok(await alice.get(`/api/qr-codes/${id}`))
    expect([data.opens, data.version]).toEqual(['PAGE', version + 1])
  })

  test('slugs that differ in capitals only, as other services give them', async () => {
    const rows = 'url,slug\nhttps://example.com/1,xYz\nhttps://example.com/2,XyZ\nhttps://example.com/3,xyz\n'
    expect(await imported(alice, csv(rows))).toMatchObject({ created: 3 })
    for (const [i, slug] of ['xYz', 'XyZ', 'xyz'].entries())
      expect((await scan(slug)).headers.get('location')).toBe(`https://example.com/${i + 1}`)
  })

  test('long titles and targets, which are not cut in the middle of a character', async () => {
    const target = `https://example.com/${'b'.repeat(87)}😀`
    const rows = `url,title\nhttps://example.com/long,${'a'.repeat(99)}😀\n${target},\n`
    expect(await imported(alice, csv(rows))).toMatchObject({ created: 2 })
    const [long] = await codesOf(alice, { keyword: 'example.com/long' })
    expect(long!.name).toBe('a'.repeat(99))
    const [untitled] = await codesOf(alice, { keyword: 'bbbb' })
    expect(untitled!.name).toBe(`example.com/${'b'.repeat(87)}`)
  })

  test('new codes of an organization have its design', async () => {
    const body = { name: 'House style', modules: 'ROUNDED', orgId: org.id, isDefault: true }
    const design = ok(await owner.send('POST', '/api/qr-code-designs', { body })).data
    const rows = `url,slug\nhttps://example.com/1,org-styled\nhttps://example.com/2,\n`
    expect(await imported(owner, csv(rows), { orgId: String(org.id) })).toMatchObject({ created: 2 })
    const codes = await codesOf(owner, { orgId: org.id, keyword: 'example.com' })
    expect(codes).toHaveLength(2)
    for (const code of codes) {
      expect(code.designId).toBe(design.id)
      expect((await server.request('GET', new URL(code.imageUrl).pathname)).status).toBe(200)
    }
    expect(ok(await owner.get('/api/qr-code-designs', { orgId: org.id })).data.items[0].codeCount).toBe(2)
  })

  test('empty cells stay unless `clearEmpty`', async () => {
    await imported(alice, csv('url,slug,remark,tags\nhttps://example.com/keep,keep-me,note,a|b\n'))
    const rows = 'slug,remark,tags\nkeep-me,,\n'
    expect(await imported(alice, csv(rows), { mode: 'UPDATE' })).toMatchObject({ unchanged: 1 })
    expect(await imported(alice, csv(rows), { mode: 'UPDATE', clearEmpty: true })).toMatchObject({ updated: 1 })
    const [code] = await codesOf(alice, { keyword: 'example.com/keep' })
    expect(code).toMatchObject({ remark: '', tags: [], content: 'https://example.com/keep' })
  })

  test('UPSERT changes known codes and creates the others', async () => {
    const result = await imported(
      alice,
      csv('url,slug\nhttps://example.com/kept,keep-me\nhttps://example.com/new,brand-new\n'),
      {
        mode: 'UPSERT',
      },
    )
    expect(result).toMatchObject({ created: 1, updated: 1 })
  })
})

describe('refusals', () => {
  test('name row and column, and change nothing', async () => {
    const before = await codesOf(alice)
    const { shortUrl } = before.find(({ slug }) => slug === 'keep-me')!
    const rows = [
      'url,slug,expires_at,maxVisits',
      'https://example.com/a,keep-me,,',
      'javascript:alert(1),js,,',
      `${shortUrl},loop,,`,
      'https://example.com/b,API,,',
      'https://example.com/c,-x-,,',
      'https://example.com/d,twice,,',
      'https://example.com/e,TWICE,,',
      'https://example.com/f,time,yesterday,many',
      ',empty,,',
      'https://example.com/h,moon,1969-07-20,',
    ].join('\n')
    const { errors, created } = await imported(alice, csv(rows), { dryRun: true })
    expect((errors as ImportError[]).map(({ row, column }) => `${row} ${column}`)).toEqual([
      '2 slug',
      '4 url',
      '5 slug',
      '6 slug',
      '8 slug',
      '9 expires_at',
      '9 maxVisits',
      '10 url',
      '11 expires_at',
    ])
    // A text is no link: it makes a code that shows it.
    expect(created).toBe(2)
    const refused = await importLinks(alice, csv(rows))
    expect([refused.status, refused.details.length]).toEqual([400, errors.length])
    expect(refused.message).toBe('Nothing was imported, because the file has 9 errors')
    const one = await importLinks(alice, csv('url,slug\nhttps://example.com/a,keep-me'))
    expect(one.message).toBe('Nothing was imported, because the file has an error')
    expect(await codesOf(alice)).toEqual(before)
    // With other slugs where these cannot be had, the bad targets and numbers are left.
    const { errors: left } = await imported(alice, csv(rows), { dryRun: true, keepSlugs: false })
    expect((left as ImportError[]).map(({ row }) => row)).toEqual([4, 9, 9, 10, 11])
  })

  test('a content that the picture of its code cannot hold, and nothing that an update would accept', async () => {
    const code = await createCode(alice, { content: 'short', style: { level: 'H' } })
    const change = (content: string) =>
      importLinks(alice, csv(`id,content\n${code.id},${content}\n`), { mode: 'UPDATE' })
    const refused = await change('x'.repeat(1274))
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'rows.2.target'])
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(expect.objectContaining({ content: 'short' }))
    // It leads nowhere.
    expect((await change('https://ann@example.com/')).status).toBe(200)
  })

  test('a content that cannot be read with the design of its code', async () => {
    const design = ok(
      await alice.send('POST', '/api/qr-code-designs', { body: { name: 'Dots', level: 'H', modules: 'DOTS' } }),
    )
    const code = await createCode(alice, { content: 'short', designId: design.data.id })
    const change = (content: string) =>
      importLinks(alice, csv(`id,content\n${code.id},${content}\n`), { mode: 'UPDATE' })
    const refused = await change('x'.repeat(1300))
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'rows.2.target'])
    expect((await change('longer than before')).status).toBe(200)
  })

  test.each([
    ['no file', undefined, 400],
    ['a picture', new File([Buffer.from('89504e470d0a1a0a00000000', 'hex')], 'a.png'), 415],
    ['JSON without a list', new File(['{"a":1}'], 'a.json'), 415],
    ['broken JSON', new File(['[{"url":'], 'a.json'), 400],
    ['no column for the target', csv('a,b\n1,2\n'), 400],
  ])('%s', async (_, file, status) => {
    expect((await importLinks(alice, file)).status).toBe(status)
  })

  test('cells full of slashes and question marks, without keeping the server busy', async () => {
    const rows = ['/', '?'].flatMap((sign) =>
      new Array<string>(30).fill(`"${sign.repeat(99_000)}\nx",https://example.com/`),
    )
    const { errors } = await imported(alice, csv(`link,url\n${rows.join('\n')}`), { dryRun: true })
    expect((errors as ImportError[]).length).toBeGreaterThan(0)
  })

  test('more than 10,000 rows', async () => {
    const rows = `url\n${'https://example.com/\n'.repeat(10_001)}`
    expect((await importLinks(alice, csv(rows))).status).toBe(400)
  })

  test('more text than 10,000 links can need, also in few bytes', async () => {
    const target = `https://example.com/${'a'.repeat(30_000)}`
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(
      book,
      XLSX.utils.aoa_to_sheet([['url'], ...Array.from({ length: 1400 }, () => [target])]),
    )
    const bytes = XLSX.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Uint8Array<ArrayBuffer>
    expect(bytes.length).toBeLessThan(1_000_000)
    const refused = await importLinks(alice, new File([bytes], 'links.xlsx'))
    expect([refused.status, refused.message]).toEqual([
      400,
      'The file contains more than any sheet of this size can need',
    ])
  })

  test('without a token, of an organization of others, and without the permission', async () => {
    const file = csv('url\nhttps://example.com/\n')
    const form = new FormData()
    form.set('file', file)
    expect((await fetch(`${server.url}/api/qr-codes/import`, { method: 'POST', body: form })).status).toBe(401)
    expect((await importLinks(bob, file, { orgId: String(org.id) })).status).toBe(403)
    expect((await importLinks(member, file, { orgId: String(org.id) })).status).toBe(403)
    expect((await importLinks(owner, file, { orgId: String(org.id) })).status).toBe(200)
  })

  test('UPDATE changes no code of another user', async () => {
    const { errors } = await imported(bob, csv('slug,url\nkeep-me,https://evil.example/\n'), {
      mode: 'UPDATE',
      dryRun: true,
    })
    expect(errors).toMatchObject([{ row: 2, column: 'slug' }])
  })
})

test('of two imports of one file at once one wins, and each slug is given once', async () => {
  const file = () =>
    csv(`url,slug\n${Array.from({ length: 300 }, (_, i) => `https://example.com/${i},race-${i}`).join('\n')}\n`)
  const answers = await Promise.all([alice, bob].map((person) => importLinks(person, file())))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  expect((await scan('race-299')).status).toBe(302)
})

test.if(inProcess)('the rows of an import are checked with pauses, in which other requests are answered', async () => {
  const { clock } = server.ctx
  const now = clock.now.bind(clock)
  let [inTurn, most, isOver] = [0, 0, false]
  const nextTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  nextTurn()
  // Each row has a time that is compared with the present.
  const asked = spyOn(clock, 'now').mockImplementation(() => {
    most = Math.max(most, ++inTurn)
    return now()
  })
  try {
    const rows = `url,created_at\n${'https://example.com/,2024-01-01\n'.repeat(2000)}`
    expect(await imported(alice, csv(rows), { dryRun: true })).toMatchObject({ created: 2000 })
    expect(asked.mock.calls.length).toBeGreaterThan(2000)
    expect(most).toBeLessThan(200)
  } finally {
    isOver = true
    asked.mockRestore()
  }
})

describe.if(inProcess)('slugs', () => {
  const { server: limited } = useServer({ rateLimit: true, noAdmin: true })

  test('are brought by imports up to a number a day, and codes that get new ones after that', async () => {
    const me = await limited.person()
    const { name, limit, windowMs } = SLUGS_FROM_FILES
    const use = { key: `${name}:user:${me.id}`, limit: limit as number, windowMs, cost: (limit as number) - 1 }
    await limited.ctx.db.write('test', (tx) => spend(tx, [use], limited.ctx.clock.now()))
    const file = (...slugs: string[]) =>
      csv(['target,slug', ...slugs.map((slug) => `https://example.com,${slug}`)].join('\n'))
    const refused = await importLinks(me, file('first-of-two', 'second-of-two'))
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(await codesOf(me)).toEqual([])
    await imported(me, file('the-last-one'))
    expect((await importLinks(me, file('too-many'))).status).toBe(429)
    await imported(me, file('', '', 'the-last-one'), { keepSlugs: false })
    expect(await codesOf(me)).toHaveLength(4)
  })
})
