/** `doctor --files`: reads all stored bytes and compares them with the database. Can run beside the server. */

import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'
import type { BlobRows, StoredBlob } from '#db/blob-maintenance.ts'
import { openBlobs } from '#platform/blobs/index.ts'
import { type BlobStore, WAITING_PREFIX } from '#platform/blobs/port.ts'
import { DAY, systemClock } from '#platform/clock.ts'

import type { Finding } from './doctor-gateways.ts'
import { bytes, progress } from './terminal.ts'

/** Findings that are listed one by one; further ones are only counted. */
const LISTED = 50
/** The first two digits of a hash: keys are compared in these parts, so that a million files need little memory. */
const PREFIXES = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

const finding = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'files', verdict, message })

export async function checkFiles(config: Config): Promise<Finding[]> {
  const db = await import('#db/maintenance.ts')
  const { databaseUrl, dataDir } = config
  const file = db.databaseFile(dataDir)
  if (databaseUrl === '' && !statSync(file, { throwIfNoEntry: false })) return []
  const { pending } = databaseUrl === '' ? db.sqliteSchema(file) : await db.postgresSchema(databaseUrl)
  if (pending.length > 0) return [finding('WARN', 'Files are checked once the pending migrations are applied.')]
  const { withBlobRows } = await import('#db/blob-maintenance.ts')
  return withBlobRows(config, (rows) => compare(rows, openBlobs(config)))
}

async function compare(rows: BlobRows, store: BlobStore): Promise<Finding[]> {
  const findings: Finding[] = []
  const total = { files: 0, bytes: 0, damaged: 0, miscounted: 0, unused: 0, unusedBytes: 0 }
  const oldEnough = systemClock.now() - DAY
  const countUnused = async (prefix: string, known: ReadonlySet<string>): Promise<void> => {
    for await (const { key, size, modifiedAt } of store.list(prefix))
      // Younger ones may belong to an upload under way.
      if (modifiedAt < oldEnough && !known.has(key)) {
        total.unused++
        total.unusedBytes += size
      }
  }
  const bar = progress('Checking files', await rows.totalSize())
  for (const prefix of PREFIXES) {
    const blobs = await rows.withPrefix(prefix)
    for (const blob of blobs) {
      const fault = await faultOf(store, blob, (count) => bar.add(count))
      // The server may have deleted the bytes since the row was read.
      if (fault !== undefined && !(await rows.exists(blob))) continue
      total.files++
      total.bytes += blob.size
      if (fault !== undefined && ++total.damaged <= LISTED) {
        const uses = await rows.usesOf(blob.id)
        findings.push(finding('FAIL', `${blob.key} ${fault}. Used by ${uses.join(', ') || 'nothing'}.`))
      }
      if (blob.refs !== blob.uses && ++total.miscounted <= LISTED)
        findings.push(
          finding('WARN', `${blob.key} is counted as used ${blob.refs} times, but ${blob.uses} rows use it.`),
        )
    }
    await countUnused(`${prefix}/`, new Set(blobs.map(({ key }) => key)))
  }
  // An upload ends after 15 minutes, so none of these that is old enough has a row.
  await countUnused(WAITING_PREFIX, new Set())
  bar.done()
  for (const { userId, orgId, recorded, actual } of await rows.wrongUsage()) {
    const shown = (usage: typeof actual): string => `${usage.files} files of ${bytes(usage.bytes)}`
    const owner = orgId > 0 ? `Organization ${orgId}` : `User ${userId}`
    findings.push(finding('WARN', `${owner} is recorded with ${shown(recorded)}, but has ${shown(actual)}.`))
  }
  if (total.unused > 0)
    findings.push(
      finding(
        'WARN',
        `${total.unused} files (${bytes(total.unusedBytes)}) belong to nothing: the server deletes them daily.`,
      ),
    )
  findings.push(
    total.damaged === 0
      ? finding('OK', `${total.files} files, ${bytes(total.bytes)}, all hashes match`)
      : finding(
          'FAIL',
          `${total.damaged} of ${total.files} files are missing or damaged: restore them from a backup${store.storage === 'OSS' ? ' or from older versions in the bucket' : ''}.`,
        ),
  )
  return findings
}

/** Reads the bytes of a blob. Returns the fault as the end of a sentence; undefined if there is none. */
async function faultOf(
  store: BlobStore,
  blob: StoredBlob,
  onBytes: (count: number) => void,
): Promise<string | undefined> {
  const source = await store.read(blob.key)
  if (source === undefined) return 'is missing'
  const hash = new Bun.CryptoHasher('sha256')
  let size = 0
  for await (const chunk of source instanceof Blob ? source.stream() : source) {
    hash.update(chunk)
    size += chunk.length
    onBytes(chunk.length)
  }
  if (size !== blob.size) return `is damaged: it has ${size} bytes instead of ${blob.size}`
  return hash.digest('hex') === blob.sha256 ? undefined : 'is damaged: its hash differs'
}
