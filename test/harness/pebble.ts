/**
 * A real certificate authority for a test file: Pebble on free ports of this machine, with a name server for which every name leads to this
 * machine. TEST_PEBBLE is the path of the program; `.ci/pebble` installs it.
 *
 *     const pebble = await startPebble() // stopped after the tests of the file
 *     describe.skipIf(pebble === undefined)('…', () => { … })
 */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startNameServer } from './name-server.ts'
import { freePort } from './s3.ts'

const TLS = join(import.meta.dir, 'tls')
/** Of the interface of the authority, as a value of TESSERA_ACME_CA. Its names are localhost and 127.0.0.1. */
export const AUTHORITY_CA = join(TLS, 'localhost-1.cert.pem')

export interface PebbleOptions {
  /** Of certificates. 90 days by default. */
  readonly validitySeconds?: number
  /** Percentage of good nonces that are refused; 0 by default. */
  readonly refusedNonces?: number
}

export interface Pebble {
  /** A value of TESSERA_ACME_DIRECTORY. */
  readonly directory: string
  /** The port that it asks for answers of challenges. */
  readonly httpPort: number
  readonly names: Awaited<ReturnType<typeof startNameServer>>
  /** The certificate that ends its chains (PEM). It is another one after each start. */
  root(): Promise<string>
  /** Lines of its log so far. */
  log(): string
  /** Sends a request to its management interface. */
  manage(path: string, init?: RequestInit): Promise<Response>
}

/** Undefined if there is no Pebble here. Then a test of the file fails if CI is set, and is skipped with the reason otherwise. */
export async function startPebble(options: PebbleOptions = {}): Promise<Pebble | undefined> {
  const program = process.env['TEST_PEBBLE'] || Bun.which('pebble')
  if (!program) {
    console.warn('Tests of ACME are skipped: set TEST_PEBBLE to the path of pebble (.ci/pebble installs it).')
    test('TEST_PEBBLE is set in CI', () => expect(process.env['CI']).toBeFalsy())
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-pebble-'))
  const names = await startNameServer()
  for (let attempt = 1; ; attempt++) {
    const started = await start(program, folder, names, options)
    if (started !== undefined) {
      afterAll(async () => {
        await started.stop()
        names.stop()
        rmSync(folder, { recursive: true, force: true })
      })
      return started
    }
    if (attempt === ATTEMPTS) throw new Error(`${program} did not start: run it by hand to see why`)
  }
}

const ATTEMPTS = 5
const START_MS = 30_000

async function start(
  program: string,
  folder: string,
  names: Pebble['names'],
  { validitySeconds = 90 * 86_400, refusedNonces = 0 }: PebbleOptions,
): Promise<(Pebble & { stop(): Promise<void> }) | undefined> {
  const [port, management, httpPort] = [await freePort(), await freePort(), await freePort()]
  const config = join(folder, `${port}.json`)
  const log = join(folder, `${port}.log`)
  writeFileSync(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: AUTHORITY_CA,
        privateKey: AUTHORITY_CA.replace('.cert.', '.key.'),
        httpPort,
        tlsPort: 1,
        retryAfter: { authz: 1, order: 1 },
        keyAlgorithm: 'ecdsa',
        profiles: { default: { description: 'the only one', validityPeriod: validitySeconds } },
      },
    }),
  )
  const child = Bun.spawn([program, '-config', config, '-dnsserver', `127.0.0.1:${names.port}`], {
    // It waits up to 15 s before a validation, to find clients that do not.
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(refusedNonces), PEBBLE_AUTHZREUSE: '0' },
    stdout: Bun.file(log),
    stderr: Bun.file(log),
  })
  const manage: Pebble['manage'] = (path, init = {}) =>
    fetch(`https://localhost:${management}${path}`, { ...init, tls: { rejectUnauthorized: false } })
  const directory = `https://localhost:${port}/dir`
  const until = Date.now() + START_MS
  while (child.exitCode === null && Date.now() < until) {
    const answers = await Promise.all([
      manage('/roots/0').catch(() => undefined),
      fetch(directory, { tls: { rejectUnauthorized: false } }).catch(() => undefined),
    ])
    if (answers.every((answer) => answer?.ok))
      return {
        directory,
        httpPort,
        names,
        root: async () => (await manage('/roots/0')).text(),
        log: () => readFileSync(log, 'utf8'),
        manage,
        async stop() {
          child.kill()
          await child.exited
        },
      }
    await Bun.sleep(20)
  }
  child.kill()
  await child.exited
  return undefined
}
