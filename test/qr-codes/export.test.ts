import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { unzipSync } from 'fflate'

import { inProcess, type Person, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { pictureOfPng, readByZxing } from '../lib/qr-pictures.ts'
import { makeCategory, makeCode, ok } from './helpers.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.person()
})
afterAll(() => server.stop())

const post = (who: Person, body: unknown) => who.post('/api/qr-codes/batch/export', body)

const unzip = (bytes: Uint8Array): Map<string, Uint8Array> => new Map(Object.entries(unzipSync(bytes)))

/** RFC 4180, to the letter. */
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

const tableOf = (reply: Reply | Uint8Array): Record<string, string>[] => {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(reply instanceof Uint8Array ? reply : reply.bytes)
  expect(text).toStartWith('\uFEFF')
  const [head, ...rows] = parseCsv(text.slice(1))
  return rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]!])))
}

describe('a zip', () => {
  test('holds a picture of each code that scans to its content, and an index', async () => {
    const me = await server.person()
    const category = await makeCategory(me, '分类')
    const made = [
      await makeCode(me, { name: 'Menu', content: 'https://example.com/菜单', categoryId: category, tags: ['a', 'b'] }),
      await makeCode(me, { name: 'menu', content: 'emoji 😀', style: { level: 'H', fg: '112233', margin: 0 } }),
      await makeCode(me, { name: '../../etc/passwd', content: '=1+1' }),
      await makeCode(me, { name: 'CON', content: 'line\r\nbreak, "quoted"' }),
      await makeCode(me, { name: '中文：名/称?', content: 'x'.repeat(2953) }),
      await makeCode(me, { name: '...', content: '@x' }),
    ]
    const gone = await makeCode(me)
    ok(await me.delete(`/api/qr-codes/${gone.id}`))
    await makeCode(alice)
    const reply = ok(await post(me, { format: 'zip', size: 128 }))
    expect(reply.headers.get('content-type')).toBe('application/zip')
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="qr-codes-\d{4}-\d\d-\d\d\.zip"$/)
    const files = unzip(reply.bytes)
    const index = tableOf(files.get('index.csv')!)
    expect(files.size).toBe(made.length + 1)
    expect(index.map((row) => Number(row['id']))).toEqual(made.map((code) => code.id))
    for (const [i, code] of made.entries()) {
      const { file } = index[i]!
      expect(file).not.toMatch(/[/\\:*?"<>|]|^\.|^con\./i)
      const png = files.get(file!)!
      expect((await readByZxing(png))?.text).toBe(code.content)
      // A code that does not fit the size asked for is drawn as large as it must be.
      expect(pictureOfPng(png).size).toBe(code.content.length > 1000 ? 185 : 128)
    }
    expect(new Set(index.map((row) => row['file']!.toLowerCase())).size).toBe(made.length)
    expect(pictureOfPng(files.get(index[1]!['file']!)!).fg).toBe('112233')
    expect(index[0]).toMatchObject({
      name: 'Menu',
      category: '分类',
      tags: 'a, b',
      isPublic: 'false',
      publicUrl: made[0]!['publicUrl'] as string,
    })
    expect(index[3]!['content']).toBe('line\r\nbreak, "quoted"')
  })

  test('of nothing is an archive with an empty index', async () => {
    const files = unzip(ok(await post(await server.person(), { format: 'zip' })).bytes)
    expect([...files.keys()]).toEqual(['index.csv'])
    expect(tableOf(files.get('index.csv')!)).toEqual([])
  })

  test('by ids, in their order, or by category with what is below it', async () => {
    const me = await server.person()
    const top = await makeCategory(me, 'top')
    const below = await makeCategory(me, 'below', top)
    const [a, b, c] = [
      await makeCode(me, { categoryId: top }),
      await makeCode(me, { categoryId: below }),
      await makeCode(me),
    ]
    const idsOf = async (body: object) =>
      tableOf(ok(await post(me, { format: 'csv', ...body }))).map((row) => Number(row['id']))
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
  test('csv: what would be a formula is a text', async () => {
    const me = await server.person()
    for (const content of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'harmless'])
      await makeCode(me, { content, name: `n ${content.trim()}` })
    const rows = tableOf(ok(await post(me, { format: 'csv' })))
    expect(rows.map((row) => row['content'])).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", 'harmless'])
  })

  test('xlsx: opens, with every code a row and every text a text', async () => {
    const me = await server.person()
    const code = await makeCode(me, { name: '名称 & <x>', content: '=HYPERLINK("http://evil")', remark: 'two\nlines' })
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

describe('refused', () => {
  for (const [what, body] of [
    ['no format', {}],
    ['an unknown format', { format: 'pdf' }],
    ['no ids', { format: 'csv', ids: [] }],
    ['an id twice', { format: 'csv', ids: [1, 1] }],
    ['ids and a category', { format: 'csv', ids: [1], categoryId: 1 }],
    ['a size of 63', { format: 'zip', size: 63 }],
    ['a size of 2049', { format: 'zip', size: 2049 }],
  ] as const)
    test(what, async () => expect((await post(alice, body)).status).toBe(400))

  test('codes of somebody else, deleted ones and unknown ones, before anything is sent', async () => {
    const mine = await makeCode(alice)
    const deleted = await makeCode(alice)
    ok(await alice.delete(`/api/qr-codes/${deleted.id}`))
    const theirs = await makeCode(await server.person(), { name: 'private' })
    for (const id of [theirs.id, deleted.id, 999_999])
      for (const format of ['csv', 'zip', 'xlsx']) {
        const reply = await post(alice, { format, ids: [mine.id, id] })
        expect(reply.status, `${format} ${id}`).toBe(404)
        expect(reply.text).not.toContain('private')
      }
  })

  test('without a token, and in an organization one does not belong to', async () => {
    expect((await server.request('POST', '/api/qr-codes/batch/export', { body: { format: 'csv' } })).status).toBe(401)
    expect((await post(alice, { format: 'csv', orgId: 5 })).status).toBe(403)
  })
})

describe('a large one', () => {
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

  test('lets other requests through', async () => {
    const waits: number[] = []
    const exporting = post(me, { format: 'zip', size: 512 })
    let state: unknown
    do {
      const started = performance.now()
      ok(await alice.get('/api/qr-codes', { size: 1 }))
      waits.push(performance.now() - started)
      state = await Promise.race([exporting, Promise.resolve('running')])
    } while (state === 'running')
    const files = unzip(ok(await exporting).bytes)
    expect(files.size).toBe(2001)
    expect(waits.length).toBeGreaterThan(20)
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.95)]).toBeLessThan(100)
  }, 60_000)

  test.if(inProcess)('stops when the client goes away', async () => {
    const controller = new AbortController()
    const response = await fetch(`${server.url}/api/qr-codes/batch/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${me.token}`, 'x-device-id': me.deviceId, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'zip', size: 2048 }),
      signal: controller.signal,
    })
    expect(response.status).toBe(200)
    await response.body!.getReader().read()
    controller.abort()
    await Bun.sleep(300)
    // Drawing 2,000 pictures of that size would keep a core busy for seconds.
    const before = process.cpuUsage()
    await Bun.sleep(500)
    const { user } = process.cpuUsage(before)
    expect(user / 1000).toBeLessThan(100)
  })

  test('leaves out what is deleted meanwhile, and is whole otherwise', async () => {
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
    expect(new Set(rows.map((row) => row['id'])).size).toBe(rows.length)
  })
})
