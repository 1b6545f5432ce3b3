/** Labels that have a design. */

import { describe, expect, test } from 'bun:test'

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { unzipSync } from 'fflate'

import type { BatchView, BlankView } from '#domains/qr-codes/blanks/blanks.model.ts'
import type { CreateDesign, DesignView } from '#domains/qr-codes/designs/designs.model.ts'
import { pixelsToPng } from '#lib/qr/design/png.ts'

import { uploaded } from '../files/helpers.ts'
import { ok, type Person, startServer, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { readByZxing } from '../lib/qr-pictures.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'

const { alice, mallory } = useServer({ people: ['alice', 'mallory'] })

let counter = 0
/** A picture that differs from all others. */
async function picture(person: Person, width: number, height: number): Promise<number> {
  const rgba = new Uint8Array(width * height * 4)
  for (let at = 0; at < rgba.length; at += 4) rgba.set([200, 40, counter % 250, 255], at)
  counter += 1
  return (await uploaded(person, pixelsToPng({ width, height, rgba }), { type: 'qr_code', name: 'a.png' })).id
}
const createDesign = async (person: Person, fields: Partial<CreateDesign> = {}): Promise<DesignView> =>
  ok(await person.call('qrCodeDesigns.create', { body: { name: `design ${++counter}`, ...fields } })).data
const make = (person: Person, fields: object = {}) =>
  person.call('qrBlanks.create', { body: { count: 2, name: 'Labels', prefix: `D${++counter}-`, ...fields } })
const labels = async (person: Person, { id }: BatchView): Promise<BlankView[]> =>
  ok(await person.call('qrBlanks.list', { query: { batchId: id } })).data.items
const fileOf = async (person: Person, { id }: BatchView, query: object) =>
  (await person.get(`/api/qr-codes/batches/${id}/export`, { widthMm: 40, ...query })).bytes

const LOOK = {
  fg: '1a2b6c',
  bg: 'fff8e0',
  modules: 'ROUNDED',
  eyes: 'CIRCLE',
  gradient: { type: 'LINEAR', to: '003300', angle: 45 },
} as const

/** A design with everything that designs have. */
const richDesign = async (person: Person): Promise<DesignView> =>
  createDesign(person, {
    ...LOOK,
    logo: { fileId: await picture(person, 300, 200), size: 18, plate: 'SQUARE' },
    frame: { position: 'BELOW', text: 'Scan me', textFileId: await picture(person, 800, 200) },
  })

describe('the export of labels with a design', () => {
  test('as PDF shows the design in its true size, with the number beneath, and has its pictures once', async () => {
    const batch = ok(await make(alice, { designId: (await richDesign(alice)).id })).data
    const made = await labels(alice, batch)
    const bytes = await fileOf(alice, batch, { format: 'pdf' })
    const pdf = await readPdf(bytes)
    expect(pdf.pages.map((text) => text.trim())).toEqual(made.map(({ number }) => number))
    for (const [i, { shortUrl }] of made.entries())
      expect((await readByZxing(await pdf.picture(i + 1, 200)))?.text).toBe(shortUrl.toUpperCase())
    const text = Buffer.from(bytes).toString('latin1')
    const [, width, height] = /MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/.exec(text)!
    expect((Number(width) / 72) * 25.4).toBeCloseTo(40, 1)
    // The code, its frame and the number.
    expect(Number(height) / Number(width)).toBeGreaterThan(1.3)
    expect(text.match(/\/Subtype\/Image\b.*?\/ColorSpace\/DeviceRGB/g)).toHaveLength(2)
    const page = await loadImage(Buffer.from(await pdf.picture(1, 100)))
    const canvas = createCanvas(page.width, page.height)
    const context = canvas.getContext('2d')
    context.drawImage(page, 0, 0)
    const colourAt = (x: number, y: number) => Array.from(context.getImageData(x, y, 1, 1).data.subarray(0, 3))
    const ground = [0xff, 0xf8, 0xe0]
    expect([colourAt(2, 2), colourAt(2, page.height - 3)]).toEqual([ground, ground])
  })

  test('as ZIP has an SVG in its true size for each, with the pictures of the design', async () => {
    const batch = ok(await make(alice, { designId: (await richDesign(alice)).id })).data
    const made = await labels(alice, batch)
    const files = unzipSync(await fileOf(alice, batch, { format: 'zip' }))
    expect(Object.keys(files).toSorted()).toEqual(made.map(({ number }) => `${number}.svg`).toSorted())
    for (const { number, shortUrl } of made) {
      const svg = new TextDecoder().decode(files[`${number}.svg`])
      expect(svg).toContain('width="40mm"')
      expect(svg).toContain(`<title>Scan me ${number}</title>`)
      expect(svg).toContain('fill="#fff8e0"')
      expect(svg.match(/<image [^>]*href="data:image\/png;base64,/g)).toHaveLength(2)
      const image = await loadImage(Buffer.from(svg))
      const canvas = createCanvas(400, Math.round((400 * image.height) / image.width))
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
      expect((await readByZxing(canvas.toBuffer('image/png')))?.text).toBe(shortUrl.toUpperCase())
    }
  })

  test('of a plain batch is in its true size, too', async () => {
    const batch = ok(await make(alice)).data
    const files = unzipSync(await fileOf(alice, batch, { format: 'zip' }))
    const [svg] = Object.values(files).map((bytes) => new TextDecoder().decode(bytes))
    expect(svg).toContain('width="40mm" height="40mm"')
    expect(svg).toContain('fill="#000000"')
  })
})

describe('the design of a batch', () => {
  test('belongs to the owner of the batch', async () => {
    const org = await createOrg(alice)
    const ofOrg = await createDesign(alice, { orgId: org.id })
    const mine = await createDesign(alice)
    for (const fields of [
      { designId: ofOrg.id },
      { designId: mine.id, orgId: org.id },
      { designId: (await createDesign(mallory)).id },
    ]) {
      const refused = await make(alice, fields)
      expect([refused.status, refused.details![0]!.path]).toEqual([400, 'body.designId'])
    }
    expect(ok(await make(alice, { designId: ofOrg.id, orgId: org.id })).data.designId).toBe(ofOrg.id)
  })

  test('is that of its labels until it is deleted, from when on they are plain', async () => {
    const design = await createDesign(alice, LOOK)
    const [batch, other] = [
      ok(await make(alice, { designId: design.id, requestId: `request ${design.id}` })).data,
      ok(await make(alice, { designId: (await createDesign(alice)).id })).data,
    ]
    const svg = async () =>
      new TextDecoder().decode(Object.values(unzipSync(await fileOf(alice, batch, { format: 'zip' })))[0])
    expect(await svg()).toContain('#fff8e0')
    ok(await alice.call('qrCodeDesigns.update', { params: { id: design.id }, body: { bg: 'ffffff' } }))
    expect(await svg()).not.toContain('#fff8e0')
    expect(await svg()).toContain('#1a2b6c')
    ok(await alice.call('qrCodeDesigns.delete', { params: { id: design.id }, query: {} }))
    expect(await svg()).not.toContain('#1a2b6c')
    const batches = ok(await alice.call('qrBlanks.batches', { query: { size: 100 } })).data.items
    const designOf = (id: number) => batches.find((one) => one.id === id)!.designId
    expect([designOf(batch.id), designOf(other.id)]).toEqual([null, other.designId])
    // A repeated request is answered with the batch that it made, without a new look at the design.
    const again = { designId: design.id, requestId: `request ${design.id}` }
    expect(ok(await make(alice, again)).data.id).toBe(batch.id)
  })

  test('makes labels that can be read, or is refused, as are changes of it', async () => {
    await using server = await startServer({ noAdmin: true, config: { publicUrl: 'https://qr.example.org' } })
    const bob = await server.person()
    const logo = { fileId: await picture(bob, 64, 64), size: 25, plate: 'CIRCLE' } as const
    const large = await createDesign(bob, { logo: { ...logo, size: 15 }, level: 'Q' })
    const change = (body: object) => bob.call('qrCodeDesigns.update', { params: { id: large.id }, body })
    // It can be read in this content, but the address of a label is in upper case, which takes fewer modules.
    await createCode(bob, { content: 'https://qr.example.org/q/23456789', designId: large.id })
    ok(await change({ logo }))
    const refused = await make(bob, { designId: large.id })
    expect([refused.status, refused.details![0]!.path]).toEqual([400, 'body.designId'])
    expect(ok(await bob.call('qrBlanks.batches', { query: {} })).data.total).toBe(0)
    ok(await change({ logo: { ...logo, size: 15 } }))
    ok(await make(bob, { designId: large.id }))
    const changed = await change({ logo })
    expect([changed.status, changed.details![0]!.path]).toEqual([400, 'body.logo.size'])
  })
})
