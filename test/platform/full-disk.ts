/**
 * The process of a test in blobs-failures.test.ts, with the folder of files on a small file system: uploads until that is full,
 * then deletes a file and uploads again. Prints what happened as JSON.
 */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { LocalBlobs } from '#platform/blobs/local.ts'
import { BlobError } from '#platform/blobs/port.ts'
import { createStaging } from '#platform/blobs/staging.ts'

const folder = process.argv[2]!
const stagingFolder = join(folder, '.staging')
const blobs = new LocalBlobs(folder)
const staging = createStaging(stagingFolder)

async function* bytes(size: number) {
  for (let left = size; left > 0; left -= 65_536) yield new Uint8Array(Math.min(left, 65_536)).fill(7)
}

async function upload(key: string): Promise<void> {
  const file = await staging.receive(bytes(500_000), 1_000_000)
  await blobs.put(key, file.path)
}

const failures: unknown[] = []
const describe = (error: unknown): unknown =>
  error instanceof BlobError ? { kind: error.kind, message: error.message } : String(error)
let stored = 0
for (let i = 0; i < 20; i++)
  try {
    await upload(`aa/${i}`)
    stored++
  } catch (error) {
    failures.push(describe(error))
  }
const left = readdirSync(stagingFolder).length
// Not even a few bytes fit.
await Bun.write(join(folder, 'filler'), new Uint8Array(4_000_000)).catch(() => undefined)
const check = await blobs.check().then(() => 'ok', describe)
const read = (await new Response((await blobs.read('aa/0'))!).bytes()).length
await Bun.file(join(folder, 'filler')).delete()
await blobs.delete('aa/0')
await upload('aa/again')
await blobs.check()
const listed: string[] = []
for await (const { key } of blobs.list('aa/')) listed.push(key)
console.log(JSON.stringify({ stored, failures, left, check, read, listed: listed.length }))
