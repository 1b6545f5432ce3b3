/** Stores files all at once. Prints by how many bytes the memory of this process grew, and the hash of the first file as it was stored. Started by blobs.test.ts. */

import { openBlobs } from '#platform/blobs/index.ts'

const { config, uploads } = JSON.parse(process.argv[2]!)
const blobs = openBlobs(config)
const before = process.memoryUsage.rss()
let peak = before
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10)
await Promise.all(uploads.map(({ key, path }: { key: string; path: string }) => blobs.put(key, path)))
clearInterval(timer)
const stored = await new Response((await blobs.read(uploads[0].key))!).bytes()
console.log(JSON.stringify({ grown: peak - before, sha256: Bun.SHA256.hash(stored, 'hex') }))
