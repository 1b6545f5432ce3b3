/** Uploaded images are re-encoded without metadata, upright and with a thumbnail, by processes outside of the server. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createImages, type Images, type Processed, UnusableImage } from '#platform/images/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-images-'))
const images = createImages({ heic: () => true })
afterAll(async () => {
  await images.stop()
  rmSync(folder, { recursive: true, force: true })
})

const [output, thumbnailOutput] = [join(folder, 'output'), join(folder, 'thumbnail')]

async function processed(bytes: Uint8Array, mime: string, by: Images = images): Promise<Processed> {
  for (const path of [output, thumbnailOutput]) rmSync(path, { force: true })
  await Bun.write(join(folder, 'input'), bytes)
  return by.process(join(folder, 'input'), mime, output, thumbnailOutput)
}

async function refusal(bytes: Uint8Array, mime: string, by: Images = images): Promise<unknown> {
  const error = await processed(bytes, mime, by).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(UnusableImage)
  expect(await Bun.file(output).exists()).toBe(false)
  expect(await Bun.file(thumbnailOutput).exists()).toBe(false)
  return (error as UnusableImage).reason
}

const photo = Bun.file(join(import.meta.dir, '../fixtures/photo.heic'))

test('a HEIC photo becomes a JPEG with a WebP thumbnail, and its EXIF time and position are returned', async () => {
  const { image, thumbnail, capture, size, sha256 } = await processed(await photo.bytes(), 'image/heic')
  expect(image).toEqual({ mime: 'image/jpeg', width: 64, height: 48 })
  expect(thumbnail).toMatchObject({ width: 64, height: 48 })
  expect(capture?.takenAt).toBe(Date.parse('2024-05-06T07:08:09+08:00'))
  expect(capture?.latitude).toBeCloseTo(-33.858472, 5)
  expect(capture?.longitude).toBeCloseTo(151.21, 5)
  const stored = await Bun.file(output).bytes()
  expect(size).toBe(stored.length)
  expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(stored).digest('hex'))
  expect(await new Bun.Image(stored).metadata()).toMatchObject({ format: 'jpeg', width: 64, height: 48 })
  expect(await new Bun.Image(thumbnailOutput).metadata()).toMatchObject({ format: 'webp' })
  expect(thumbnail.size).toBe(Bun.file(thumbnailOutput).size)
})

test('HEIC is refused with its own reason while the administrators have switched it off', async () => {
  const off = createImages({ heic: () => false })
  expect(await refusal(await photo.bytes(), 'image/heic', off)).toBe('heic-off')
  await off.stop()
})
