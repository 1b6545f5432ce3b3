/**
 * A real S3 server for a test file: versitygw on a free port of this machine, with a folder and a bucket of its own. TEST_S3_SERVER
 * is the path of the program; `.ci/versitygw` installs it.
 *
 *     const s3 = await startS3() // stopped after the tests of the file
 *     describe.skipIf(s3 === undefined)('…', () => {
 *       const { server, alice } = useServer({ people: ['alice'], config: s3?.config })
 *
 * To run the same tests on both stores of files: `for (const { name, config } of await fileStores()) describe(name, () => …)`.
 */

import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Config } from '#config/config.ts'

export const S3_KEY = 'tessera-test'
/** Contains characters that must be percent-encoded in a URL, as AWS generates them. */
export const S3_SECRET = 'secret/of+the=tests'
export const S3_REGION = 'eu-test-1'

export interface S3Server {
  /** `host:port` */
  readonly host: string
  /** An address for TESSERA_STORAGE_URL; each call with another prefix is a separate store. */
  storageUrl(options?: StorageUrlOptions): string
  readonly config: Pick<Config, 'storageUrl'>
}

export interface StorageUrlOptions {
  key?: string
  secret?: string
  host?: string
  bucket?: string
  prefix?: string
  region?: string
  style?: 'path' | 'virtual'
}

interface ServerOptions {
  /** A command in front of the server's, for example to mount something at the folder of the objects, `$FOLDER/files`. */
  before?: readonly string[]
  /** Encrypt connections, with the certificate in the folder `tls`. */
  tls?: boolean
}

/** Undefined if there is no S3 server here. Then a test of the file fails if CI is set, and is skipped with the reason otherwise. */
export async function startS3(options: ServerOptions = {}): Promise<S3Server | undefined> {
  const program = process.env['TEST_S3_SERVER'] || Bun.which('versitygw')
  if (!program) {
    console.warn('Tests of S3 are skipped: set TEST_S3_SERVER to the path of versitygw (.ci/versitygw installs it).')
    test('TEST_S3_SERVER is set in CI', () => expect(process.env['CI']).toBeFalsy())
    return undefined
  }
  const temporary = mkdtempSync(join(tmpdir(), 'tessera-s3-'))
  const folder = join(temporary, 'objects')
  // Metadata in files of their own: not all file systems have extended attributes.
  const sidecar = join(temporary, 'metadata')
  mkdirSync(join(folder, BUCKET), { recursive: true })
  mkdirSync(sidecar)
  const { child, port } = await start(program, ['posix', '--sidecar', sidecar, folder], options, folder)
  afterAll(async () => {
    child.kill()
    await child.exited
    rmSync(temporary, { recursive: true, force: true })
  })
  const host = `127.0.0.1:${port}`
  const storageUrl: S3Server['storageUrl'] = ({ prefix = '', style = 'path', ...given } = {}) => {
    const [key, secret] = [given.key ?? S3_KEY, given.secret ?? S3_SECRET].map(encodeURIComponent)
    const at = given.host ?? (style === 'path' ? host : `${VIRTUAL_DOMAIN}:${port}`)
    const path = [given.bucket ?? BUCKET, prefix].filter((part) => part !== '').join('/')
    return `s3://${key}:${secret}@${at}/${path}?region=${given.region ?? S3_REGION}&style=${style}&tls=${options.tls ? 'on' : 'off'}`
  }
  return { host, storageUrl, config: { storageUrl: storageUrl() } }
}

const TLS = join(import.meta.dir, 'tls')
/** Valid for localhost and 127.0.0.1. */
export const CERTIFICATE = join(TLS, 'cert.pem')
const BUCKET = 'files'
/** Names below `localhost` lead to this machine (RFC 6761). */
const VIRTUAL_DOMAIN = 's3.localhost'
const ATTEMPTS = 5
const START_MS = 30_000

async function start(
  program: string,
  backend: readonly string[],
  { before = [], tls = false }: ServerOptions,
  folder: string,
) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    // Only this server answers at this path, should another program take the port first.
    const health = `/health-${crypto.randomUUID()}`
    const options = ['--port', `127.0.0.1:${port}`, '--access', S3_KEY, '--secret', S3_SECRET, '--region', S3_REGION]
    const child = Bun.spawn(
      [
        ...before,
        program,
        '--quiet',
        '--keep-alive',
        ...options,
        '--virtual-domain',
        VIRTUAL_DOMAIN,
        '--health',
        health,
        ...(tls ? ['--cert', CERTIFICATE, '--key', join(TLS, 'key.pem')] : []),
        ...backend,
      ],
      { env: { ...process.env, FOLDER: folder }, stdout: 'ignore', stderr: 'ignore' },
    )
    const until = Date.now() + START_MS
    while (child.exitCode === null && Date.now() < until) {
      const answer = await fetch(`${tls ? 'https' : 'http'}://127.0.0.1:${port}${health}`, {
        tls: { rejectUnauthorized: false },
      }).catch(() => undefined)
      await answer?.text()
      if (answer?.ok) return { child, port }
      await Bun.sleep(20)
    }
    child.kill()
    await child.exited
    if (attempt === ATTEMPTS) throw new Error(`${program} did not start: run it by hand to see why`)
  }
}

/**
 * For programs that cannot choose a port themselves. It is below the ports that systems give to connections and to servers with port 0: one of those
 * would often take it before the program does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000)
    try {
      await Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() }).stop(true)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** The stores of files that can be tested here. */
export async function fileStores(): Promise<{ name: string; config: Pick<Config, 'storageUrl'> }[]> {
  const s3 = await startS3()
  const local = { name: 'local files', config: { storageUrl: '' } }
  return s3 === undefined ? [local] : [local, { name: 'S3', config: s3.config }]
}
