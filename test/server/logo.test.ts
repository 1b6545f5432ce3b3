/** The logo of the server: PUT and DELETE /api/admin/server/logo, its pictures, and the pages that show them. */

import { afterEach, describe, expect, test } from 'bun:test'

import { blobs } from '#db/schema/files.ts'
import { serverPictures } from '#db/schema/settings.ts'
import { deleteOrphanBytes } from '#domains/files/clean-up.service.ts'
import { DAY } from '#platform/clock.ts'

import { createRole, grant } from '../access/helpers.ts'
import * as built from '../files/build-images.ts'
import { jpeg, pathOf, png } from '../files/helpers.ts'
import { pixelsOfImage } from '../files/pixels.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { logoForm } from './logo-form.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const setLogo = (
  bytes?: Uint8Array,
  { who = admin, headers = {} }: { who?: Person; headers?: Record<string, string> } = {},
) => who.call('server.logo.update', { body: logoForm(bytes), headers })
const page = async (path: string) => (await server.request('GET', path, { headers: { accept: 'text/html' } })).text
const get = (path: string) => server.request('GET', path)
const shown = async () => ok(await server.call('server.get')).data
const siblings = (logoUrl: string | null) =>
  ['logo', '32', '180', '192', '512', 'maskable'].map((name) => pathOf(logoUrl!).replace('logo', name))

afterEach(async () => void ok(await admin.call('server.logo.delete')))

/** A square of one colour with a transparent border. */
function badge(color: readonly number[], side = 200): Uint8Array {
  const rows = new Uint8Array((1 + side * 4) * side)
  for (let y = 20; y < side - 20; y++)
    for (let x = 20; x < side - 20; x++) rows.set([...color, 255], y * (1 + side * 4) + 1 + x * 4)
  return built.png({ width: side, height: side, colorType: 6, rows })
}

describe('a logo', () => {
  test('is re-encoded into pictures of fixed sizes, which pages, the manifest and the web application name', async () => {
    const { data } = ok(await setLogo(await jpeg(600)))
    expect(data.sources['logo']).toBe('DATABASE')
    const { logoUrl, iconUrl } = data
    expect(await shown()).toMatchObject({ logoUrl, iconUrl })
    const paths = siblings(logoUrl)
    const [logo, small, touch, middle, large, maskable] = paths
    expect(pathOf(iconUrl)).toBe(large!)
    for (const [nth, side] of [512, 32, 180, 192, 512, 512].entries()) {
      const { status, headers, bytes } = await get(paths[nth]!)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(headers.get('cache-control')).toContain('immutable')
      const { width, height } = await pixelsOfImage(bytes)
      expect([width, height]).toEqual([side, side])
    }
    for (const path of ['/', '/nothing', '/licenses']) {
      const text = await page(path)
      expect(text).toContain(`<img src="${logo}" alt="" />`)
      expect(text).toContain(`<link rel="icon" href="${small}"`)
      expect(text).toContain(`<link rel="apple-touch-icon" href="${touch}"`)
      expect(text).not.toContain('/favicon')
    }
    const webApp = await page('/console/login')
    expect(webApp).toContain(logo!)
    expect(webApp).toContain(`<link rel="icon" href="${small}"`)
    expect(webApp.split('apple-touch-icon')).toHaveLength(2)
    const manifest = JSON.parse((await get('/manifest.webmanifest')).text) as { id: string; icons: object[] }
    expect(manifest.id).toBe('/console/')
    expect(manifest.icons).toEqual([
      { src: middle, sizes: '192x192', type: 'image/png' },
      { src: large, sizes: '512x512', type: 'image/png' },
      { src: maskable, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ])
    // Browsers and phones ask for these by themselves.
    for (const [path, target] of [
      ['/favicon.ico', small],
      ['/apple-touch-icon.png', touch],
      ['/icons/icon-192.png', middle],
      ['/icons/icon-512.png', large],
      ['/icons/icon-maskable.png', maskable],
    ] as const)
      expect((await get(path)).headers.get('location')).toBe(target!)
  })

  test('keeps its form: wide ones are whole in square icons, on a ground of their own where the system cuts', async () => {
    const { data } = ok(await setLogo(built.png({ width: 400, height: 200, colorType: 2, rows: stripes(400, 200) })))
    const [logo, small, touch, , large, maskable] = await Promise.all(
      siblings(data.logoUrl).map(async (path) => pixelsOfImage((await get(path)).bytes)),
    )
    expect([logo!.width, logo!.height]).toEqual([400, 200])
    expect(small!.at(16, 1)[3]).toBe(0)
    expect(large!.at(256, 256)).toEqual([255, 0, 0, 255])
    expect(large!.at(256, 100)[3]).toBe(0)
    // The ground has the colour of its corner.
    expect(touch!.at(0, 0)).toEqual([255, 0, 0, 255])
    expect(maskable!.at(0, 0)).toEqual([255, 0, 0, 255])
  })

  test('with transparent corners is put on white, and on a dark ground if it is light', async () => {
    for (const [color, ground] of [
      [
        [0, 0, 200],
        [255, 255, 255, 255],
      ],
      [
        [250, 250, 250],
        [16, 21, 19, 255],
      ],
    ] as const) {
      const maskable = siblings(ok(await setLogo(badge(color))).data.logoUrl).at(-1)!
      const { at } = await pixelsOfImage((await get(maskable)).bytes)
      // A fifth of each side is margin, and a tenth of the logo itself.
      for (const [x, y] of [
        [0, 0],
        [256, 120],
        [511, 511],
      ] as const)
        expect(at(x, y)).toEqual([...ground])
      expect(at(256, 256)).toEqual([...color, 255])
      expect(at(256, 150)).toEqual([...color, 255])
    }
  })

  test('has new addresses after each change, and those before answer 404', async () => {
    const first = siblings(ok(await setLogo()).data.logoUrl)
    const second = ok(await setLogo()).data
    expect(siblings(second.logoUrl)).not.toContain(first[0])
    for (const path of first) expect((await get(path)).status).toBe(404)
    const { data } = ok(await admin.call('server.logo.delete'))
    expect(data).toMatchObject({ logoUrl: null, sources: { logo: 'DEFAULT' } })
    expect(pathOf(data.iconUrl)).toBe('/icons/icon-512.png')
    for (const path of siblings(second.logoUrl)) expect((await get(path)).status).toBe(404)
    expect(await page('/')).toContain('href="/favicon.ico"')
    expect((await get('/favicon.ico')).status).toBe(200)
    for (const path of ['/icons/a/logo.png', '/icons/constructor/512.png']) expect((await get(path)).status).toBe(404)
  })

  test('stays as it is if the same one is sent again', async () => {
    const bytes = png(256)
    const { data } = ok(await setLogo(bytes))
    expect(ok(await setLogo(bytes)).data).toEqual(data)
    const rows = ok(await admin.call('operationLog.list', { query: { action: 'SERVER_UPDATE', size: 1 } })).data.items
    expect(rows[0]).toMatchObject({ targetName: 'logo', after: { key: pathOf(data.logoUrl!).split('/')[2]! } })
  })

  test('loses what follows the picture in the file', async () => {
    const html = new TextEncoder().encode('<script>alert(1)</script>')
    const { data } = ok(await setLogo(built.joined(png(128), html)))
    for (const path of siblings(data.logoUrl)) expect((await get(path)).text).not.toContain('<script>')
  })

  test('may have 40 megapixels', async () => {
    const { data } = ok(await setLogo(built.png({ width: 8000, height: 5000, bitDepth: 1 })))
    const { width, height } = await pixelsOfImage((await get(pathOf(data.logoUrl!))).bytes)
    expect([width, height]).toEqual([512, 320])
  })
})

/** Rows of red. */
function stripes(width: number, height: number): Uint8Array {
  const rows = new Uint8Array((1 + width * 3) * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (1 + width * 3) + 1 + x * 3] = 255
  return rows
}

describe('other files are refused and change nothing', () => {
  const text = (content: string) => new TextEncoder().encode(content)
  const files: Readonly<Record<string, () => readonly [status: number, bytes: Uint8Array | Promise<Uint8Array>]>> = {
    'an SVG drawing': () => [415, text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    'a page called logo.png': () => [415, text('<!doctype html><script>alert(1)</script>')],
    'a GIF': () => [415, text('GIF89a and more')],
    'an empty file': () => [415, new Uint8Array()],
    'a damaged PNG': () => [415, png(128).subarray(0, 200)],
    'a picture with 127 pixels': () => [400, png(127)],
    'a picture of 1 × 4,000 pixels': () => [400, built.png({ width: 1, height: 4000 })],
    'a picture with more than 40 megapixels': () => [413, built.png({ width: 8001, height: 5000, bitDepth: 1 })],
    'a file of more than 2 MB': () => [413, built.joined(png(128), new Uint8Array(2 * 1024 * 1024))],
  }
  for (const [what, file] of Object.entries(files))
    test(what, async () => {
      const before = ok(await setLogo()).data
      const [status, bytes] = file()
      const refused = await setLogo(await bytes)
      expect(refused.status).toBe(status)
      expect(await shown()).toMatchObject({ logoUrl: before.logoUrl })
      expect((await get(pathOf(before.logoUrl!))).status).toBe(200)
    })

  test('a form without a file, and a body that is not a form', async () => {
    expect((await admin.send('PUT', '/api/admin/server/logo', { body: new FormData() })).status).toBe(400)
    expect((await admin.put('/api/admin/server/logo', {})).status).toBe(415)
  })
})

describe('access, versions and races', () => {
  test('users, and callers without a token, are refused', async () => {
    expect((await setLogo(undefined, { who: alice })).status).toBe(403)
    expect((await alice.call('server.logo.delete')).status).toBe(403)
    expect((await server.request('PUT', '/api/admin/server/logo', { body: logoForm() })).status).toBe(401)
  })

  test('an administrator who may change settings need not be SYSTEM_ADMIN', async () => {
    const helper = await server.person()
    ok(await grant(admin, helper, await createRole(admin, { permissions: ['setting:update'] })))
    ok(await setLogo(undefined, { who: helper }))
  })

  test('an administrator who has seen an older version gets the present one', async () => {
    const { headers } = ok(await setLogo())
    const seen = { 'if-match': headers.get('etag')! }
    const { data } = ok(await setLogo(undefined, { headers: seen }))
    const late = await setLogo(undefined, { headers: seen })
    expect([late.status, late.code, late.data.logoUrl]).toEqual([412, 4024, data.logoUrl])
    const deletion = await admin.call('server.logo.delete', { headers: seen })
    expect(deletion.status).toBe(412)
    expect((await shown()).logoUrl).toBe(data.logoUrl)
  })

  test('two logos at once end with the pictures of one of them', async () => {
    const replies = await race(6, () => setLogo())
    const urls = replies.map((reply) => ok(reply).data.logoUrl)
    const { logoUrl } = await shown()
    expect(urls).toContain(logoUrl)
    for (const path of siblings(logoUrl)) expect((await get(path)).status).toBe(200)
    const gone = new Set(urls.filter((url) => url !== logoUrl).map((url) => pathOf(url!)))
    for (const path of gone) expect((await get(path)).status).toBe(404)
    if (!inProcess) return
    const { ctx } = server
    const rows = await ctx.db.read.select().from(serverPictures)
    expect(new Set(rows.map(({ key }) => key)).size).toBe(1)
    expect(rows).toHaveLength(6)
  })
})

test.if(inProcess)('the clean-up of files keeps the present logo, and a replaced one leaves no bytes', async () => {
  const { ctx } = server
  const stored = async () => (await Array.fromAsync(ctx.blobs.list(''), ({ key }) => key)).toSorted()
  const used = async () => (await ctx.db.read.select({ key: blobs.key }).from(blobs)).map(({ key }) => key).toSorted()
  ok(await setLogo())
  const { data } = ok(await setLogo())
  server.clock.advance(2 * DAY)
  await deleteOrphanBytes(ctx)
  expect(await stored()).toEqual(await used())
  for (const path of siblings(data.logoUrl)) expect((await get(path)).status).toBe(200)
  ok(await admin.call('server.logo.delete'))
  expect(await used()).toEqual([])
  await deleteOrphanBytes(ctx)
  expect(await stored()).toEqual([])
})
