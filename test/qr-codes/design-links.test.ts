/** Codes with designs whose short link changes, and with it their picture. */

import { beforeAll, expect, test } from 'bun:test'

import { designSymbol, LEAST_SPARE } from '#lib/qr/design/index.ts'

import { png, uploaded } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { type Code, createCode } from './helpers.ts'
import { csv, importLinks } from './link-files.ts'

const { alice } = useServer({ people: ['alice'] })

/** A logo that takes too much of a symbol of version 4-Q, but not of the smaller version 3-Q and the larger 5-Q. */
const SIZE = 22
/** One that takes too much of version 3-Q, too. */
const LARGE = 25
const LOOK = { level: 'Q', plate: 'NONE' } as const

let start: string
beforeAll(async () => {
  const { slug, pictureContent } = await createCode(alice, { content: 'https://example.org', isDynamic: true })
  start = pictureContent.slice(0, -slug!.length)
})

const fits = (content: string, size: number): boolean =>
  designSymbol(content, { level: LOOK.level, logo: { size, plate: LOOK.plate, aspect: 1 } }).spare >= LEAST_SPARE

/** A slug with which the logo takes too much of the symbol, or not. */
const slugThat = (isGood: boolean, letter: string): string =>
  Array.from({ length: 48 }, (_, i) => letter.repeat(i + 3)).find(
    (slug) => fits(start + slug.toUpperCase(), SIZE) === isGood,
  )!

const logoOf = (fileId: number, size: number) => ({ fileId, size, plate: LOOK.plate })
async function createDesign() {
  const fileId = (await uploaded(alice, png(64), { type: 'qr_code', name: 'logo.png' })).id
  const body = { name: 'Logo', level: LOOK.level, logo: logoOf(fileId, SIZE) }
  const { id } = ok(await alice.call('qrCodeDesigns.create', { body })).data
  const enlarge = async () =>
    ok(await alice.call('qrCodeDesigns.update', { params: { id }, body: { logo: logoOf(fileId, LARGE) } }))
  return { id, enlarge }
}

const find = async ({ id }: Code) => ok(await alice.call('qrCodes.get', { params: { id } })).data
const change = ({ id }: Code, body: object) => alice.call('qrCodes.update', { params: { id }, body })
const changeLink = ({ id }: Code, body: object) => alice.call('qrCodes.updateLink', { params: { id }, body })

test('a slug with which a code could not be read is refused by both requests that change it, and not taken', async () => {
  const design = await createDesign()
  const code = await createCode(alice, { content: 'https://example.org', isDynamic: true, designId: design.id })
  const bad = slugThat(false, 'b')
  for (const refused of [await change(code, { slug: bad }), await changeLink(code, { slug: bad })]) {
    expect(refused.status).toBe(400)
    expect(refused.details).toEqual([
      { path: 'body.slug', message: expect.stringContaining('cannot be read with the design of the code, whose logo') },
    ])
  }
  expect(await find(code)).toEqual(code)
  const good = slugThat(true, 'g')
  ok(await changeLink(code, { slug: good }))
  const after = await find(code)
  expect(after).toMatchObject({ slug: good, designId: design.id, pictureContent: start + good.toUpperCase() })
  expect(after.imageUrl).not.toBe(code.imageUrl)
  // Without the design it is allowed.
  expect(ok(await change(code, { slug: bad, designId: null })).data).toMatchObject({ slug: bad, designId: null })
})

test('a code whose short link could not be read with its design does not become changeable', async () => {
  const design = await createDesign()
  const content = 'x'.repeat(50)
  expect([fits(content, LARGE), fits(`${start}23456789`, LARGE)]).toEqual([true, false])
  const code = await createCode(alice, { content: `https://example.org/${content}`.slice(0, 50), designId: design.id })
  await design.enlarge()
  const before = await find(code)
  const refused = await change(code, { isDynamic: true })
  expect([refused.status, refused.details!.map(({ path }) => path)]).toEqual([400, ['body.isDynamic']])
  expect(await find(code)).toEqual(before)
})

test('a label is bound to a code with a design, which keeps it only if the picture fits', async () => {
  const design = await createDesign()
  const { id: batchId } = ok(await alice.call('qrBlanks.create', { body: { count: 3, name: 'Labels' } })).data
  const labels = ok(await alice.call('qrBlanks.list', { query: { batchId } })).data.items
  const bind = async (label: number, { id }: Code) =>
    ok(await alice.call('qrBlanks.bind', { params: { slug: labels[label]!.slug }, body: { kind: 'QR_CODE', id } }))
  const release = async (label: number) =>
    ok(await alice.call('qrBlanks.release', { params: { slug: labels[label]!.slug } }))

  const code = await createCode(alice, { content: 'https://example.org' })
  await bind(0, code)
  ok(await change(code, { isDynamic: true, designId: design.id }))
  // Without a slug, the picture holds a longer address.
  await release(0)
  expect(await find(code)).toMatchObject({ slug: null, designId: null })
  ok(await change(code, { designId: design.id }))
  const without = await find(code)
  await bind(1, code)
  const labelled = await find(code)
  expect(labelled).toMatchObject({ slug: labels[1]!.slug, designId: design.id })
  expect(labelled.imageUrl).not.toBe(without.imageUrl)

  await release(1)
  ok(await change(code, { designId: design.id }))
  await design.enlarge()
  await bind(2, code)
  expect(await find(code)).toMatchObject({ slug: labels[2]!.slug, designId: null })
})

test('an import refuses contents that cannot be read with the designs of their codes', async () => {
  const design = await createDesign()
  const long = `https://example.org/${'x'.repeat(40)}`
  const [good, bad] = [
    await createCode(alice, { content: long, designId: design.id }),
    await createCode(alice, { content: long, designId: design.id }),
  ]
  // The second one has a smaller symbol, in which the logo takes a larger part.
  const [similar, short] = [long.replace('org', 'com'), `https://example.org/${'y'.repeat(18)}`]
  expect([fits(similar, SIZE), fits(short, SIZE)]).toEqual([true, false])
  const table = csv(`id,target\n${good.id},${similar}\n${bad.id},${short}\n`)
  const { status, details } = await importLinks(alice, table, { mode: 'UPDATE' })
  expect([status, details.map(({ path }: { path: string }) => path)]).toEqual([400, ['rows.3.target']])
  expect([await find(good), await find(bad)]).toMatchObject(
    [good, bad].map(({ version }) => ({ version, content: long })),
  )
})
