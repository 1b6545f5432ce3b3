/** Servers with `--lan` for tests: the program as people start it, and clients that trust its authority. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'

import { until } from '../harness/until.ts'
import type { Installation, RunningCli, RunOptions } from '../ops/cli.ts'

export interface LanServer extends RunningCli {
  readonly port: string
  /** `http://127.0.0.1:port`, where the pages about trust are served too. */
  readonly plain: string
  /** The certificate of the authority (PEM). */
  readonly ca: string
}

/** Under this address, so that tests reach it: the name and the addresses of the machine differ. */
export const LAN = ['--lan', '--host', '127.0.0.1', '--http-port', '0', '--public-url', 'https://127.0.0.1:0']

export async function serveLan(place: Installation, args = LAN, options: RunOptions = {}): Promise<LanServer> {
  const server = await place.serve(args, options)
  const trustLine = () => /http:\/\/[^/]+:(\d+)\/trust\n/.exec(server.stdout())
  await until(() => trustLine() !== null)
  const plain = `http://127.0.0.1:${trustLine()![1]!}`
  const ca = await (await fetch(`${plain}/trust/ca.pem`)).text()
  return Object.assign(server, { port: new URL(server.url).port, plain, ca })
}

/** A request without a check of the certificate: Bun accepts no certificate of an authority that is bound to addresses. */
export const unchecked = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, tls: { rejectUnauthorized: false } })

/** Whether OpenSSL, which trusts `ca` only, accepts the certificate of the server for its host. */
export async function accepts(ca: string, url: string, host = new URL(url).hostname): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-trust-'))
  try {
    writeFileSync(join(folder, 'ca.pem'), ca)
    const name = /^[\d.]+$/.test(host) ? '-verify_ip' : '-verify_hostname'
    const options = ['-CAfile', join(folder, 'ca.pem'), '-no-CApath', '-no-CAstore', '-verify_return_error', name, host]
    const child = Bun.spawn(['openssl', 's_client', '-connect', new URL(url).host, ...options], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    return (await child.exited) === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The names in the certificate that a new connection gets: `DNS:willow, IP Address:10.0.0.1`. */
export async function namesAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const made: TLSSocket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () =>
      resolve(made),
    )
    made.on('error', reject)
  })
  const names = socket.getPeerCertificate().subjectaltname ?? ''
  socket.destroy()
  return names
}

export const hasCertutil = Bun.which('certutil') !== null

/** Adds an authority (PEM) to a store of NSS, as the steps for Linux say. `.pki/nssdb` of its home directory is that of Chromium. */
export function trustIn(store: string, ca: string): void {
  mkdirSync(store, { recursive: true })
  const file = join(store, 'ca.pem')
  writeFileSync(file, ca)
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-t', 'C,,', '-n', 'Tessera local authority', '-i', file],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync(['certutil', '-d', `sql:${store}`, ...args])
    if (exitCode !== 0) throw new Error(`certutil ${args[0]}: ${stderr.toString()}`)
  }
}
