/** Hostile files reach the image pipeline, which stores nothing but JPEG, PNG and WebP without their contents, and survives. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { mediaTypeOf } from '#lib/file-type.ts'
import { createImages, UnusableImage } from '#platform/images/index.ts'

import { hostileFiles } from '../files/hostile.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-hostile-'))
// The machine may be busy: only a decoder that hangs takes this long.
const images = createImages({ heic: () => true, timeLimitMs: 10 * 60_000 })
afterAll(async () => {
  await images.stop()
  rmSync(folder, { recursive: true, force: true })
})

const [input, output, thumbnail] = ['input', 'output', 'thumbnail'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/heic'])
/** Traces of scripts and archives in the hostile files. */
const TRACES = ['<script', 'alert(', '<?php', 'PK\x03\x04', 'tEXt', 'Exif']

test('there are at least 60 hostile files, with different names', () => {
  expect(hostileFiles.length).toBeGreaterThanOrEqual(60)
  expect(new Set(hostileFiles.map(({ name }) => name)).size).toBe(hostileFiles.length)
})

for (const { name, bytes, expected, why } of hostileFiles)
  test(`${name} is ${expected} (${why})`, async () => {
    for (const path of [output, thumbnail]) rmSync(path, { force: true })
    await Bun.write(input, bytes())
    const mime = await mediaTypeOf(Bun.file(input))
    if (mime === undefined || !IMAGE_TYPES.has(mime)) {
      expect(expected).not.toBe('stored as image')
      return
    }
    const result = await images.process(input, mime, output, thumbnail, 1).catch((error: unknown) => error)
    if (expected === 'refused') {
      expect(result).toBeInstanceOf(UnusableImage)
      for (const path of [output, thumbnail]) expect(await Bun.file(path).exists()).toBe(false)
      return
    }
    expect(expected).toBe('stored as image')
    expect(result).toHaveProperty('image')
    const { format } = await new Bun.Image(output).metadata()
    expect(result).toHaveProperty('image.mime', `image/${format}`)
    expect(['jpeg', 'png', 'webp']).toContain(format)
    expect((await new Bun.Image(thumbnail).metadata()).format).toBe('webp')
    const stored = Buffer.from(await Bun.file(output).bytes()).toString('latin1')
    for (const trace of TRACES) expect(stored).not.toContain(trace)
  })
