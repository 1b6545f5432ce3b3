import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { type Config, hasTls, isShared } from '#config/config.ts'
import type { Reading } from '#config/read.ts'
import { envName } from '#config/settings.ts'
import { pendingRestore, restorePending } from '#platform/backup/swap.ts'
import { HOUR, MINUTE, SECOND, systemClock } from '#platform/clock.ts'
import { syncDirectory, writeDurably } from '#platform/files.ts'
import { uuid } from '#platform/ids.ts'
import { readHolder, SUBDIRECTORIES } from '#platform/lock.ts'
import { builtAt } from '#platform/version.ts'

import { hasOtherData } from './data-directory.ts'
import { checkCertificate } from './doctor-certificate.ts'
import { type Finding, GATEWAY_CHECKS } from './doctor-gateways.ts'
import { EXIT, explain } from './exit-codes.ts'
import { fetchLocal, localAddress, serverAddress } from './healthcheck.ts'
import { hasSigningKey, otherKey, verifyStoredLog } from './log.ts'
import { withBackupDirectory, withReach } from './stored-values.ts'
import { bytes, columns, note, say } from './terminal.ts'
import type { Run } from './verb.ts'

type Verdict = Finding['verdict']

type Check = (config: Config, reading: Reading) => Finding | Finding[] | Promise<Finding | Finding[]>

export const run: Run = async (call) => {
  const { reading } = call
  const found: Finding[] = []
  if (reading.problems.length > 0)
    found.push(...reading.problems.map((message) => finding('configuration', 'FAIL', message)))
  else {
    const config = call.config()
    found.push(finding('configuration', 'OK', reading.file ?? 'flags, environment and defaults; no tessera.toml'))
    const checks: typeof CHECKS = call.options.has('files') ? { ...CHECKS, files: checkAllFiles } : CHECKS
    for (const [name, check] of Object.entries(checks)) {
      try {
        found.push(...[await check(config, reading)].flat())
      } catch (error) {
        found.push(finding(name, 'FAIL', explain(error, `The data directory ${config.dataDir}`).sentence))
      }
    }
  }
  if (call.options.has('json')) say(JSON.stringify(found, null, 2))
  else {
    say(columns(found.map(({ verdict, check, message }) => [verdict, check, message])))
    const count = (verdict: Verdict): number => found.filter((f) => f.verdict === verdict).length
    note(`\n${count('FAIL')} failed, ${count('WARN')} warnings.`)
  }
  return found.some(({ verdict }) => verdict === 'FAIL') ? EXIT.failure : EXIT.ok
}

const checkAllFiles: Check = async (config) => (await import('./doctor-files.ts')).checkFiles(config)

const finding = (check: string, verdict: Verdict, message: string): Finding => ({ check, verdict, message })

/** Bytes. With less, the server reports DOWN. */
const LITTLE_SPACE = 200e6
/** Bytes. A busy small organization needs less in a day. */
const SOME_SPACE = 2e9
/** Bytes. Under steady writing the log starts over at about 20 MB; one of this size means that a program keeps a read transaction open. */
const LARGE_WAL = 256e6
/** Clocks of network file systems may differ by some seconds. */
const CLOCK_DRIFT_MS = MINUTE
const ANSWER_MS = 5 * SECOND

const CHECKS: Record<string, Check> = {
  directory({ dataDir }) {
    const found = statSync(dataDir, { throwIfNoEntry: false })
    if (!found) return finding('directory', 'WARN', `${dataDir} does not exist yet: the first start creates it.`)
    if (!found.isDirectory())
      return finding('directory', 'FAIL', `${dataDir} is not a directory: choose another with TESSERA_DATA_DIR.`)
    const missing = SUBDIRECTORIES.filter(
      (name) => !statSync(join(dataDir, name), { throwIfNoEntry: false })?.isDirectory(),
    )
    if (missing.length > 0)
      return finding('directory', 'WARN', `${missing.join(', ')} missing in ${dataDir}: the next start creates them.`)
    return finding('directory', 'OK', dataDir)
  },

  restore({ dataDir }) {
    if (pendingRestore(dataDir) === undefined) return []
    if (readHolder(dataDir)?.verb === 'restore')
      return finding('restore', 'WARN', 'A restore is under way, or was interrupted: wait for its end or run it again.')
    return finding(
      'restore',
      'FAIL',
      `A restore was interrupted: start the server, which completes it. Do not change anything in ${dataDir} before.`,
    )
  },

  async permissions({ dataDir }) {
    if (process.platform === 'win32' || !statSync(dataDir, { throwIfNoEntry: false })) return []
    const open = (path: string): boolean => (statSync(path).mode & 0o077) !== 0
    if (open(dataDir)) return finding('permissions', 'FAIL', `Other users can read ${dataDir}: chmod 700 ${dataDir}`)
    const keys = join(dataDir, 'keys')
    const names = statSync(keys, { throwIfNoEntry: false }) ? await readdir(keys) : []
    const loose = names.map((name) => join(keys, name)).filter(open)
    if (loose.length > 0)
      return finding('permissions', 'FAIL', `Other users can read ${loose[0]!}: chmod 600 ${loose.join(' ')}`)
    return finding('permissions', 'OK', 'only the owner can read the data')
  },

  async write({ dataDir }) {
    if (!statSync(dataDir, { throwIfNoEntry: false })) return []
    const path = join(dataDir, `.doctor-${uuid()}`)
    const before = systemClock.now()
    try {
      await writeDurably(path, new Uint8Array(64 * 1024), 0o600)
      const drift = Math.abs(statSync(path).mtimeMs - before)
      const took = systemClock.now() - before
      if (drift > CLOCK_DRIFT_MS + took)
        return finding(
          'write',
          'WARN',
          `The file system's clock differs from this machine's by ${Math.round(drift / 1000)} s: synchronize both with NTP.`,
        )
      return finding('write', 'OK', `64 kB written to disk in ${took} ms`)
    } finally {
      await rm(path, { force: true })
      await syncDirectory(dataDir)
    }
  },

  async backups(config) {
    // A database that cannot be read is a finding of its own.
    const { backupDir } = restorePending(config.dataDir)
      ? config
      : await withBackupDirectory(config).catch(() => config)
    if (backupDir === '') return []
    const found = statSync(backupDir, { throwIfNoEntry: false })
    if (!found)
      return config.backupDir === ''
        ? finding(
            'backups',
            'FAIL',
            `${backupDir} is missing: connect its disk, or choose another folder in the settings.`,
          )
        : finding('backups', 'WARN', `${backupDir} does not exist yet: the first backup creates it.`)
    try {
      accessSync(backupDir, constants.R_OK | constants.W_OK)
    } catch {
      return finding('backups', 'FAIL', `${backupDir} cannot be written: give it to the user of the server.`)
    }
    return (found.mode & 0o077) === 0 || process.platform === 'win32'
      ? finding('backups', 'OK', backupDir)
      : finding('backups', 'WARN', `Other users can open ${backupDir}: chmod 700 ${backupDir}`)
  },

  space({ dataDir }) {
    const existing = statSync(dataDir, { throwIfNoEntry: false }) ? dataDir : '.'
    const { bavail, bsize, ffree, files } = statfsSync(existing)
    const free = bavail * bsize
    // First: without inodes, the advice to free some space would be wrong.
    if (files > 0 && ffree < files / 50)
      return finding(
        'space',
        ffree === 0 ? 'FAIL' : 'WARN',
        `Only ${ffree} more files fit on the disk of ${dataDir} (inodes): delete some files.`,
      )
    if (free < LITTLE_SPACE)
      return finding(
        'space',
        'FAIL',
        `Only ${bytes(free)} are free for ${dataDir}: free some space or move it to a larger disk.`,
      )
    if (free < SOME_SPACE)
      return finding('space', 'WARN', `${bytes(free)} are free for ${dataDir}: plan for a larger disk.`)
    return finding('space', 'OK', `${bytes(free)} free`)
  },

  clock() {
    const now = systemClock.now()
    if (builtAt > 0 && now < builtAt - HOUR)
      return finding(
        'clock',
        'FAIL',
        `The clock shows ${new Date(now).toISOString()}, a time before this program was built: set it (timedatectl set-ntp true).`,
      )
    return finding('clock', 'OK', new Date(now).toISOString())
  },

  async database({ databaseUrl, databaseReadUrl, poolerUrl, dataDir }) {
    // Opening a database whose log has been moved away already would show, and could save, an old state.
    if (restorePending(dataDir)) return []
    const db = await import('#db/maintenance.ts')
    const found: Finding[] = []
    const schema = (state: { applied: readonly string[]; pending: readonly string[] }): Finding =>
      state.pending.length === 0
        ? finding('schema', 'OK', state.applied.at(-1) ?? 'empty')
        : finding(
            'schema',
            'WARN',
            `${state.pending.length} migrations pending: the next start applies them after a backup.`,
          )
    if (databaseUrl !== '') {
      const { poolerProblem, poolsTransactions } = await import('#db/pooler.ts')
      const problem = await poolerProblem(databaseUrl, poolerUrl)
      if (problem !== undefined) return finding('pooler', 'FAIL', problem)
      if (poolerUrl !== '') {
        const mode = (await poolsTransactions(poolerUrl)) ? 'in transaction mode' : 'not in transaction mode'
        found.push(finding('pooler', 'OK', `${db.placeOf(poolerUrl)}, ${mode}`))
      }
      const missing = await (await import('#db/needs.ts')).needsProblem(databaseUrl)
      if (missing !== undefined) return finding('engine', 'FAIL', missing)
      found.push(finding('engine', 'OK', 'PostgreSQL with everything that Tessera needs'))
      if (databaseReadUrl !== '') {
        const { kind, message } = await (await import('#db/replica.ts')).replicaState({ databaseUrl, databaseReadUrl })
        found.push(finding('replica', ({ OK: 'OK', AWAY: 'WARN', WRONG: 'FAIL' } as const)[kind], message))
      }
      const before = performance.now()
      const state = await db.postgresSchema(databaseUrl)
      found.push(
        finding('database', 'OK', `${db.placeOf(databaseUrl)} answers in ${Math.round(performance.now() - before)} ms`),
        schema(state),
        ...stampFindings(await db.stampMarkPostgres(databaseUrl)),
      )
      for (const name of ['pg_dump', 'pg_restore'])
        if (Bun.which(name) === null)
          found.push(
            finding(
              'backup',
              'WARN',
              `${name} was not found: install PostgreSQL's client tools for backup and restore.`,
            ),
          )
      return found
    }
    const file = db.databaseFile(dataDir)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (!size) {
      const url = readHolder(dataDir)?.url
      if (url !== undefined && (await statusOf(url)) !== undefined)
        return finding(
          'database',
          'FAIL',
          `${file} was deleted or emptied while the server runs: stop the server, then put the file back or restore a backup.`,
        )
      return hasOtherData(dataDir)
        ? finding(
            'database',
            'FAIL',
            `${file} is ${size === 0 ? 'empty' : 'missing'}, although there are files or keys: put it back or restore a backup. The next start would create a new one.`,
          )
        : finding('database', 'WARN', `${file} does not exist yet: the first start creates it.`)
    }
    const state = db.sqliteSchema(file)
    db.checkSqlite(file)
    found.push(finding('database', 'OK', `SQLite, ${bytes(size)}, integrity check passed`), schema(state))
    found.push(...stampFindings(db.stampMarkSqlite(file)))
    const wal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (wal > LARGE_WAL)
      found.push(
        finding(
          'log file',
          'WARN',
          `${file}-wal has ${bytes(wal)}: stop other programs that read the database, then restart the server.`,
        ),
      )
    return found
  },

  serverValues: async (config) => (await import('./doctor-values.ts')).checkServerValues(config),

  async operationLog(config) {
    const { dataDir, databaseUrl } = config
    const db = await import('#db/maintenance.ts')
    if (databaseUrl === '' && !statSync(db.databaseFile(dataDir), { throwIfNoEntry: false })) return []
    const { pending } =
      databaseUrl === '' ? db.sqliteSchema(db.databaseFile(dataDir)) : await db.postgresSchema(databaseUrl)
    if (pending.length > 0 || !hasSigningKey(config)) return []
    const { rows, head, fault, otherKeyUntil } = await verifyStoredLog(config)
    if (fault) return finding('operation log', 'FAIL', fault.message)
    if (otherKeyUntil !== undefined) return finding('operation log', 'WARN', otherKey(otherKeyUntil))
    return finding(
      'operation log',
      'OK',
      head && head.id > 0 ? `${rows} rows, the newest is ${head.id} with hash ${head.hash}` : 'empty',
    )
  },

  async server(config) {
    const url = serverAddress(config)
    const status = await statusOf(url)
    if (status === 'UP') return finding('server', 'OK', `UP at ${url}`)
    if (status === 'DOWN') return finding('server', 'FAIL', `The server at ${url} is DOWN: see its log.`)
    const holder = readHolder(config.dataDir)
    if (await isFree(config)) return finding('server', 'OK', `not running; ${localAddress(config)} is free`)
    if (holder)
      return finding(
        'server',
        'FAIL',
        `Process ${holder.pid} uses the data directory but does not answer at ${url}: see its log.`,
      )
    return finding(
      'server',
      'FAIL',
      `Another program uses port ${config.port}: stop it, or choose another with TESSERA_PORT.`,
    )
  },

  async certificate(started, { origins }) {
    const { config, chain } = await withReach(started, origins)
    return checkCertificate(config, chain)
  },

  async publicUrl(started, { origins }) {
    const { config } = await withReach(started, origins)
    if (config === started && !origins.has('publicUrl') && !hasTls(config)) {
      const local = ['127.0.0.1', '::1', 'localhost'].includes(config.host)
      return local
        ? []
        : finding('public URL', 'WARN', 'TESSERA_PUBLIC_URL is not set: links and QR codes will contain localhost.')
    }
    const { publicUrl } = config
    if (publicUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(publicUrl))
      return finding(
        'public URL',
        'WARN',
        `${publicUrl} is not encrypted: put a reverse proxy with TLS in front of the server and use https.`,
      )
    try {
      const answer = await fetch(`${publicUrl}/actuator/health`, {
        signal: AbortSignal.timeout(ANSWER_MS),
        // This machine need not trust the authority, and Bun refuses every authority that is bound to addresses.
        tls: { rejectUnauthorized: !config.lan },
      })
      const { status } = (await answer.json()) as { status?: unknown }
      if (status === 'UP') return finding('public URL', 'OK', `${publicUrl} reaches this server`)
    } catch {
      // Reported below, like an answer of another server.
    }
    return finding(
      'public URL',
      'WARN',
      `${publicUrl} does not reach this server from this machine: check DNS and the reverse proxy.`,
    )
  },

  /** `tessera serve` requires these with a shared directory. With S3, a single process can do without them. */
  processes(config, { origins }) {
    if (!isShared(config)) return []
    const missing = (['secret', 'publicUrl'] as const).filter((key) => !origins.has(key)).map(envName)
    if (missing.length === 0) return finding('processes', 'OK', 'several processes may serve this database')
    return finding(
      'processes',
      'WARN',
      `Only one process can serve this database: to start more, set the same ${missing.join(' and ')} for all of them.`,
    )
  },

  ...GATEWAY_CHECKS,
}

/** The `status` of the server's health; undefined if it does not answer. */
const statusOf = (url: string): Promise<unknown> =>
  fetchLocal(`${url}/actuator/health`)
    .then(async (answer) => ((await answer.json()) as { status?: unknown }).status)
    .catch(() => undefined)

/** Stamps never go back, so rows keep the wrong time until the clock has reached it again. `mark`: see db/engine/stamps.ts. */
function stampFindings(mark: number | undefined): Finding[] {
  if (mark === undefined || mark < systemClock.now() + CLOCK_DRIFT_MS) return []
  return [
    finding(
      'clock',
      'WARN',
      `The data was last changed at ${new Date(mark).toISOString()}, which is in the future: the clock was ahead then, or is behind now. Set it (timedatectl set-ntp true). Changes are dated after that time until it has passed.`,
    ),
  ]
}

async function isFree({ host, port }: Config): Promise<boolean> {
  if (port === 0) return true
  try {
    await Bun.serve({ hostname: host, port, fetch: () => new Response() }).stop(true)
    return true
  } catch {
    return false
  }
}
