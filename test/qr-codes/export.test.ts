import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import { eq } from 'drizzle-orm'
import { unzipSync } from 'fflate'

import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrLinks } from '#db/schema/qr-links.ts'

import { inProcess, ok, type Person, type Reply, useServer } from '../harness/index.ts'
import { pictureOfPng, readByZxing } from '../lib/qr-pictures.ts'
import { type Code, createCategory, createCode } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const post = (who: Person, body: unknown) => who.post('/api/qr-codes/batch/export', body)

const unzip = (bytes: Uint8Array): Map<string, Uint8Array> => new Map(Object.entries(unzipSync(bytes)))

const workbookOf = (reply: Reply) =>
  XLSX.read(reply.bytes, { type: 'buffer', dense: true, cellDates: true, cellNF: true, cellStyles: true, UTC: true })

/** The cells of the only sheet, by rows. */
const cellsOf = (reply: Reply): XLSX.CellObject[][] =>
  (Object.values(workbookOf(reply).Sheets)[0] as unknown as { '!data': XLSX.CellObject[][] })['!data']

/** Counts the statements that read rows for exports: 20 for the 2,000 codes below. */
function countExportReads(): { count: number; stop(): void } {
  const { runner } = server.ctx.db.read as unknown as { runner: { rows(sql: string, params: unknown[]): unknown } }
  const original = runner.rows
  const counter = { count: 0, stop: () => void (runner.rows = original) }
  runner.rows = (sql, params) => {
    if (/"qr_codes"."id" in \(/.test(sql)) counter.count += 1
    return original.call(runner, sql, params)
  }
  return counter
}

/** Strictly RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c !== '"') cell += c
      else if (text[i + 1] === '"') cell += text[++i]
      else quoted = false
    } else if (c === '"' && cell === '') quoted = true
    else if (c === ',') {
      rows.at(-1)!.push(cell)
      cell = ''
    } else if (c === '\r' && text[i + 1] === '\n') {
      rows.at(-1)!.push(cell)
      cell = ''
      rows.push([])
      i++
    } else cell += c
  }
  rows.pop()
  return rows
}

/** The rows by the titles of their columns. */
const tableOf = (reply: Reply | Uint8Array): Record<string, string>[] => {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(reply instanceof Uint8Array ? reply : reply.bytes)
  expect(text).toStartWith('\uFEFF')
  const [head, ...rows] = parseCsv(text.slice(1))
  return rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]!])))
}

describe('zip', () => {
  test('an exported zip contains a picture for each code that scans to its content, and an index', async () => {
    const me = await server.person()
    const category = await createCategory(me, '分类')
    const made = [
      await createCode(me, {
        name: 'Menu',
        content: 'https://example.com/菜单',
        categoryId: category,
        tags: ['a', 'b'],
      }),
      await createCode(me, { name: 'menu', content: 'emoji 😀', style: { level: 'H', fg: '112233', margin: 0 } }),
      await createCode(me, { name: '../../etc/passwd', content: '=1+1' }),
      await createCode(me, { name: 'CON', content: 'line\r\nbreak, "quoted"' }),
      await createCode(me, { name: '中文：名/称?', content: 'x'.repeat(2953) }),
      await createCode(me, { name: '...', content: '@x' }),
      // The guard against formulas must not change the name of a file in the index.
      await createCode(me, { name: '=cmd()', content: 'calc' }),
    ]
    const deleted = await createCode(me)
    ok(await me.delete(`/api/qr-codes/${deleted.id}`))
    await createCode(alice)
    const reply = ok(await post(me, { format: 'zip', size: 128 }))
    expect(reply.headers.get('content-type')).toBe('application/zip')
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="qr-codes-\d{4}-\d\d-\d\d\.zip"$/)
    const files = unzip(reply.bytes)
    const index = tableOf(files.get('index.csv')!)
    expect(files.size).toBe(made.length + 1)
    expect(index.map((row) => Number(row['ID']))).toEqual(made.map((code) => code.id))
    for (const [i, code] of made.entries()) {
      const { File: file } = index[i]!
      expect(file).not.toMatch(/[/\\:*?"<>|]|^\.|^con\./i)
      const png = files.get(file!)!
      expect((await readByZxing(png))?.text).toBe(code.content)
      // A code that does not fit into the requested size gets a larger picture.
      expect(pictureOfPng(png).size).toBe(code.content.length > 1000 ? 185 : 128)
    }
    expect(new Set(index.map((row) => row['File']!.toLowerCase())).size).toBe(made.length)
    expect(pictureOfPng(files.get(index[1]!['File']!)!).fg).toBe('112233')
    expect(index[0]).toMatchObject({
      Name: 'Menu',
      Category: '分类',
      Tags: 'a, b',
      Public: 'false',
      'Public link': made[0]!['publicUrl'] as string,
    })
    expect(index[3]!['Content']).toBe('line\r\nbreak, "quoted"')
  })

  test('an exported zip without codes contains only an empty index', async () => {
    const files = unzip(ok(await post(await server.person(), { format: 'zip' })).bytes)
    expect([...files.keys()]).toEqual(['index.csv'])
    expect(tableOf(files.get('index.csv')!)).toEqual([])
  })

  test('an exported zip has the codes of the requested ids in their order, or of a category and its sub-categories', async () => {
    const me = await server.person()
    const top = await createCategory(me, 'top')
    const below = await createCategory(me, 'below', top)
    const [a, b, c] = [
      await createCode(me, { categoryId: top }),
      await createCode(me, { categoryId: below }),
      await createCode(me),
    ]
    const idsOf = async (body: object) =>
      tableOf(ok(await post(me, { format: 'csv', ...body }))).map((row) => Number(row['ID']))
    expect(await idsOf({ ids: [c.id, a.id] })).toEqual([c.id, a.id])
    expect(await idsOf({ categoryId: top })).toEqual([a.id, b.id])
    expect(await idsOf({ categoryId: below })).toEqual([b.id])
    expect(await idsOf({ categoryId: 0 })).toEqual([c.id])
    expect(await idsOf({ categoryId: 999_999 })).toEqual([])
    expect(await idsOf({})).toEqual([a.id, b.id, c.id])
    expect(await idsOf({ ids: null, category_id: below })).toEqual([b.id])
  })
})

describe('tables', () => {
  test('an exported table as CSV marks contents that look like formulas as texts', async () => {
    const me = await server.person()
    for (const content of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'harmless'])
      await createCode(me, { content, name: `n ${content.trim()}` })
    const rows = tableOf(ok(await post(me, { format: 'csv' })))
    expect(rows.map((row) => row['Content'])).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", 'harmless'])
  })

  test('an exported table as XLSX has a row for each code and stores all texts as texts', async () => {
    const me = await server.person()
    const code = await createCode(me, {
      name: '名称 & <x>',
      content: '=HYPERLINK("http://evil")',
      remark: 'two\nlines',
    })
    const reply = ok(await post(me, { format: 'xlsx' }))
    expect(reply.headers.get('content-disposition')).toEndWith('.xlsx"')
    const sheet = new TextDecoder().decode(unzip(reply.bytes).get('xl/worksheets/sheet1.xml'))
    const texts = [...sheet.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text)
    expect(texts).toContain('名称 &amp; &lt;x&gt;')
    expect(texts).toContain('=HYPERLINK(&quot;http://evil&quot;)')
    expect(sheet).not.toContain('<f>')
    expect(sheet).toContain(`<v>${code.id}</v>`)
    expect(sheet.match(/<row /g)).toHaveLength(2)
  })
})

const AT = Date.parse('2026-03-08T07:30:05.999Z')

describe('readers', () => {
  let me: Person
  let code: Code

  beforeAll(async () => {
    me = await server.person()
    const [top, other] = [await createCategory(me, '分类'), await createCategory(me, 'other')]
    const categoryId = await createCategory(me, 'below', top)
    await createCategory(me, 'nothing in it', other)
    code = await createCode(me, { name: '菜单', content: 'https://example.com', categoryId, isPublic: true })
  })

  const send = async (format: string, query: Record<string, string> = {}, language = 'en') =>
    ok(
      await me.send('POST', '/api/qr-codes/batch/export', {
        query,
        headers: { 'accept-language': language },
        body: { format },
      }),
    )

  const titles = {
    en: 'ID,UUID,Name,Content,Type,Category,Tags,Remark,Public,Scans,Public link,Created (UTC),Slug,Short URL,Opens,Target,Rules,Fallback URL,Expires at (UTC),Max scans,Scan count',
    zh: 'ID,UUID,名称,内容,类型,分类,标签,备注,公开,扫描次数,公开链接,创建时间（UTC）,短链后缀,短链接,扫码打开,目标,规则,备用链接,到期时间（UTC）,扫描上限,扫描总数',
  }
  for (const [language, head] of Object.entries(titles))
    test(`the titles of exports are in the language of the caller (${language}), and categories are paths`, async () => {
      const csv = (await send('csv', {}, language)).text.replace('\uFEFF', '').split('\r\n')
      expect(csv[0]).toBe(head)
      expect(csv[1]).toContain(',分类 / below,')
      const index = unzip((await send('zip', {}, language)).bytes).get('index.csv')!
      const file = language === 'en' ? 'File' : '文件'
      expect(new TextDecoder().decode(index).split('\r\n')[0]).toBe(`${file},${head}`)
      expect(cellsOf(await send('xlsx', {}, language))[0]!.map((cell) => cell.v)).toEqual(head.split(','))
    })

  test.if(inProcess)('times in exports are those of the caller’s time zone, as date cells in a workbook', async () => {
    await server.ctx.db.write('test', (tx) =>
      tx.update(qrCodes).set({ createdAt: AT }).where(eq(qrCodes.id, code.id)).returning(),
    )
    for (const [tz, shown, name] of [
      ['', '2026-03-08 07:30:05', 'UTC'],
      ['Asia/Shanghai', '2026-03-08 15:30:05', 'Asia/Shanghai'],
      // Clocks go forward at 10:00 UTC on this day.
      ['America/Los_Angeles', '2026-03-07 23:30:05', 'America/Los_Angeles'],
      ['+05:45', '2026-03-08 13:15:05', 'UTC+05:45'],
    ] as const) {
      expect(tableOf(await send('csv', { tz }))[0]![`Created (${name})`]).toBe(shown)
      const created = cellsOf(await send('xlsx', { tz }))[1]![11]!
      expect([created.t, created.w]).toEqual(['d', shown])
    }
    expect(
      (await me.send('POST', '/api/qr-codes/batch/export', { query: { tz: 'Mars/Olympus' }, body: { format: 'csv' } }))
        .status,
    ).toBe(400)
  })

  test('a workbook has cells of the right kinds, with the widths of their columns', async () => {
    const reply = await send('xlsx')
    expect(
      cellsOf(reply)[1]!
        .filter((cell) => cell !== undefined)
        .map((cell) => cell.t)
        .join(''),
    ).toBe('nsssssbnsdn')
    expect(cellsOf(reply)[1]![8]!.v).toBe(true)
    const [sheet] = Object.values(workbookOf(reply).Sheets)
    expect(sheet!['!cols']).toHaveLength(21)
  })
})

test.if(inProcess)('an export has columns for short links, which are empty for codes without one', async () => {
  const me = await server.person()
  const [menu, fixed, random] = [
    await createCode(me, { content: 'https://example.com/menu', isDynamic: true, slug: `menu-${process.pid}` }),
    await createCode(me, { content: 'https://example.com/fixed' }),
    await createCode(me, { content: 'WIFI:S:guest;;', isDynamic: true, opens: 'PAGE' }),
  ]
  const rules = [{ target: 'https://example.com/de', languages: ['de'] }]
  await server.ctx.db.write('test', async (tx) => {
    const limits = { fallbackUrl: 'https://example.com/over', expiresAt: AT, maxScans: 20, scansLeft: 5 }
    await tx.insert(qrLinks).values({ qrCodeId: menu.id, rules, rulesLeft: [null], ...limits })
  })
  const index = unzip(ok(await post(me, { format: 'zip' })).bytes).get('index.csv')!
  const none = { Rules: '', 'Fallback URL': '', 'Expires at (UTC)': '', 'Max scans': '', 'Scan count': '0' }
  for (const rows of [tableOf(index), tableOf(ok(await post(me, { format: 'csv' })).bytes)])
    expect(rows).toMatchObject([
      {
        Slug: menu.slug!,
        'Short URL': menu.shortUrl!,
        Opens: 'TARGET',
        Target: menu.content,
        Rules: JSON.stringify(rules),
        'Fallback URL': 'https://example.com/over',
        'Expires at (UTC)': '2026-03-08 07:30:05',
        'Max scans': '20',
        'Scan count': '0',
      },
      { Content: fixed.content, Slug: '', 'Short URL': '', Opens: '', Target: '', ...none },
      { Slug: random.slug!, 'Short URL': random.shortUrl!, Opens: 'PAGE', Target: random.content, ...none },
    ])
})

describe('refusals', () => {
  for (const [what, body] of [
    ['a missing format', {}],
    ['an unknown format', { format: 'pdf' }],
    ['an empty list of ids', { format: 'csv', ids: [] }],
    ['a duplicate id', { format: 'csv', ids: [1, 1] }],
    ['ids together with a category', { format: 'csv', ids: [1], categoryId: 1 }],
    ['a size of 63', { format: 'zip', size: 63 }],
    ['a size of 2049', { format: 'zip', size: 2049 }],
  ] as const)
    test(`POST /qr-codes/batch/export answers 400 to ${what}`, async () =>
      expect((await post(alice, body)).status).toBe(400))

  test('POST /qr-codes/batch/export answers 404 to ids of other users, deleted and unknown codes, before it sends anything', async () => {
    const mine = await createCode(alice)
    const deleted = await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${deleted.id}`))
    const theirs = await createCode(await server.person(), { name: 'private' })
    for (const id of [theirs.id, deleted.id, 999_999])
      for (const format of ['csv', 'zip', 'xlsx']) {
        const reply = await post(alice, { format, ids: [mine.id, id] })
        expect(reply.status, `${format} ${id}`).toBe(404)
        expect(reply.text).not.toContain('private')
      }
  })

  test('POST /qr-codes/batch/export answers 401 without a token and 403 for an organization that the caller is not a member of', async () => {
    expect((await server.request('POST', '/api/qr-codes/batch/export', { body: { format: 'csv' } })).status).toBe(401)
    expect((await post(alice, { format: 'csv', orgId: 5 })).status).toBe(403)
  })
})

describe('2,000 codes', () => {
  let me: Person
  beforeAll(async () => {
    me = await server.person()
    const items = Array.from({ length: 500 }, (_, i) => ({
      name: `code ${i}`,
      content: `https://example.com/${i}/${'x'.repeat(300)}`,
    }))
    for (let i = 0; i < 4; i++)
      ok(await me.post('/api/qr-codes/batch', { items: items.map((item) => ({ ...item, name: `${item.name} ${i}` })) }))
  })

  test('a large export lets other requests run meanwhile', async () => {
    let answered = 0
    const exporting = post(me, { format: 'zip', size: 512 })
    let state: unknown
    do {
      ok(await alice.get('/api/qr-codes', { size: 1 }))
      answered += 1
      state = await Promise.race([exporting, Promise.resolve('running')])
    } while (state === 'running')
    const files = unzip(ok(await exporting).bytes)
    expect(files.size).toBe(2001)
    expect(answered).toBeGreaterThan(20)
  })

  test.if(inProcess)('a large export stops when the client disconnects', async () => {
    const reads = countExportReads()
    try {
      const controller = new AbortController()
      const response = await fetch(`${server.url}/api/qr-codes/batch/export`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${me.token}`,
          'x-device-id': me.deviceId,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ format: 'zip', size: 512 }),
        signal: controller.signal,
      })
      expect(response.status).toBe(200)
      await response.body!.getReader().read()
      controller.abort()
      // An export that runs draws a picture between two requests, and reads again after 100 pictures.
      let before: number
      do {
        before = reads.count
        for (let i = 0; i < 300; i++) ok(await alice.get('/api/qr-codes', { size: 1 }))
      } while (reads.count > before)
      expect(reads.count).toBeLessThan(20)
    } finally {
      reads.stop()
    }
  })

  test('a large export leaves out codes that are deleted meanwhile, and only those', async () => {
    const response = await fetch(`${server.url}/api/qr-codes/batch/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${me.token}`, 'x-device-id': me.deviceId, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'csv' }),
    })
    const reader = response.body!.getReader()
    const pieces = [(await reader.read()).value!]
    const last = ok(await me.get('/api/qr-codes', { page: 2000, size: 1 })).data.items[0]
    ok(await me.delete(`/api/qr-codes/${last.id}`))
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      pieces.push(value)
    }
    const rows = tableOf(new Uint8Array(Buffer.concat(pieces)))
    expect([1999, 2000]).toContain(rows.length)
    expect(new Set(rows.map((row) => row['ID'])).size).toBe(rows.length)
  })
})

describe('exports at once', () => {
  /** Users with more codes than fit into the buffers of a connection that nobody reads. */
  let users: Person[]
  beforeAll(async () => {
    users = await Promise.all(Array.from({ length: 3 }, () => server.person()))
    const items = Array.from({ length: 500 }, (_, i) => ({ name: `code ${i}`, content: `${i} ${'x'.repeat(1500)}` }))
    for (const user of users) ok(await user.post('/api/qr-codes/batch', { items }))
  })

  /** Begins a large export and reads nothing of it. */
  async function begin(who: Person, signal?: AbortSignal) {
    const response = await fetch(`${server.url}/api/qr-codes/batch/export`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${who.token}`,
        'x-device-id': who.deviceId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ format: 'zip', size: 2048 }),
      ...(signal && { signal }),
    })
    const refusal = response.status === 200 ? undefined : ((await response.json()) as { code: number })
    return { status: response.status, code: refusal?.code, retryAfter: response.headers.get('retry-after'), response }
  }

  async function untilAllowed(who: Person): Promise<void> {
    for (;;) {
      const reply = await post(who, { format: 'csv' })
      if (reply.status === 200) return
      expect(reply.code).toBe(4022)
      await Bun.sleep(5)
    }
  }

  test('a user has one at a time, and the next one when the client hangs up', async () => {
    const [user] = users as [Person]
    const controllers = Array.from({ length: 5 }, () => new AbortController())
    const replies = await Promise.all(controllers.map(({ signal }) => begin(user, signal)))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, 429, 429, 429, 429])
    const refused = replies.find((r) => r.status === 429)!
    expect(refused.code).toBe(4022)
    expect(Number(refused.retryAfter)).toBeGreaterThan(0)
    expect((await post(user, { format: 'csv' })).code).toBe(4022)
    for (const controller of controllers) controller.abort()
    await untilAllowed(user)
  })

  test('two users who read nothing or very slowly keep nobody waiting, and get the rest when they read on', async () => {
    const [nothing, slow, other] = users as [Person, Person, Person]
    const controllers = [new AbortController(), new AbortController()]
    const begun = [await begin(nothing, controllers[0]!.signal), await begin(slow, controllers[1]!.signal)]
    expect(begun.map(({ status }) => status)).toEqual([200, 200])
    const reader = begun[1]!.response.body!.getReader()
    const pieces: Uint8Array[] = []
    const { id } = await createCode(other, { name: 'one' })
    const admin = await server.admin()
    for (let i = 0; i < 10; i++) {
      pieces.push((await reader.read()).value!)
      const one = ok(await post(other, { format: 'zip', ids: [id] }))
      expect([...unzip(one.bytes).keys()]).toEqual(['one.png', 'index.csv'])
      expect((await admin.get('/api/admin/logs', { format: 'csv' })).status).toBe(200)
    }
    // Exports of any number of codes too.
    ok(await post(other, { format: 'csv' }))
    expect((await post(nothing, { format: 'csv' })).code).toBe(4022)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      pieces.push(value)
    }
    expect(unzip(new Uint8Array(Buffer.concat(pieces))).size).toBe(501)
    // Used here so that the garbage collector does not take the response before, which would close its connection.
    expect(begun[0]!.response.bodyUsed).toBe(false)
    controllers[0]!.abort()
    await untilAllowed(nothing)
  })

  test('a client that hangs up before it gets an answer leaves room for the next export', async () => {
    const [user] = users as [Person]
    for (let i = 0; i < 5; i++) {
      const controller = new AbortController()
      const gone = begin(user, controller.signal).catch(() => undefined)
      await Bun.sleep(i * 3)
      controller.abort()
      await gone
    }
    await untilAllowed(user)
  })

  test('an export that is refused or read to its end leaves room for the next one', async () => {
    const [user] = users as [Person]
    for (let i = 0; i < 3; i++) {
      expect((await post(user, { format: 'csv', ids: [999_999_999] })).status).toBe(404)
      expect((await post(user, { format: 'csv', ids: [1, 1] })).status).toBe(400)
      ok(await post(user, { format: 'csv' }))
    }
  })
})
