/** Stores files all at once and prints by how many bytes the memory of this process grew. Started by blobs.test.ts. */

import { openBlobs } from '#platform/blobs/index.ts'

const { config, uploads } = JSON.parse(process.argv[2]!)
const blobs = openBlobs(config)
const before = process.memoryUsage.rss()
let peak = before
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10)
await Promise.all(uploads.map(({ key, path }: { key: string; path: string }) => blobs.put(key, path)))
clearInterval(timer)
console.log(peak - before)
