/** Processes that start at the same time get one certificate, of a real authority or of their own. */

import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { startAuthorityProxy } from '../harness/authority-proxy.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'
import { freePort } from '../harness/s3.ts'
import { ADMIN } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { accepts, LAN, serveLan } from '../lan/lan.ts'
import { Installation, onPostgres } from '../ops/cli.ts'
import { handshake } from '../ops/handshake.ts'

const pebble = onPostgres ? await startPebble({ refusedNonces: 10 }) : undefined

test.skipIf(pebble === undefined)(
  'of two processes that start at once one orders, both answer challenges, and both use the certificate',
  async () => {
    const place = await Installation.make()
    const authority = startAuthorityProxy(pebble!.directory)
    try {
      const sharedFiles = join(place.home, 'files')
      mkdirSync(sharedFiles)
      const ports = [pebble!.httpPort, await freePort()]
      let token = ''
      const answers: string[] = []
      authority.after = ({ kind, status }, text) => {
        if (kind === 'authorization' && status === 200)
          token = (JSON.parse(text) as { challenges: { type: string; token: string }[] }).challenges.find(
            ({ type }) => type === 'http-01',
          )!.token
      }
      authority.before = async ({ kind }) => {
        if (kind !== 'challenge' || answers.length > 0) return undefined
        for (const port of ports)
          await until(async () => {
            const answer = await fetch(`http://127.0.0.1:${port}/.well-known/acme-challenge/${token}`).catch(
              () => undefined,
            )
            if (answer?.status !== 200) return false
            answers.push(await answer.text())
            return true
          })
        return undefined
      }
      const servers = await Promise.all(
        ports.map((port, nth) =>
          place.serve([], {
            env: {
              TESSERA_DOMAIN: 'qr.example.org,www.example.org',
              TESSERA_ACME_DIRECTORY: authority.directory,
              TESSERA_ACME_CA: AUTHORITY_CA,
              TESSERA_HTTP_PORT: String(port),
              TESSERA_ADMIN_USERNAME: ADMIN.username,
              TESSERA_ADMIN_PASSWORD: ADMIN.password,
              TESSERA_DATA_DIR: join(place.home, `data-${nth}`),
              TESSERA_SHARED_FILES: sharedFiles,
              TESSERA_SECRET: 'the secret of all processes of a test',
              TESSERA_PUBLIC_URL: 'https://qr.example.org',
            },
          }),
        ),
      )
      expect(answers).toEqual([answers[0]!, answers[0]!])
      expect(answers[0]).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
      const serials = await Promise.all(
        servers.map(
          async ({ url }) => (await handshake(new URL(url).port, 'qr.example.org', await pebble!.root())).serial,
        ),
      )
      expect(serials[0]).toBe(serials[1]!)
      expect([authority.count('account'), authority.count('newOrder'), authority.count('finalize')]).toEqual([1, 1, 1])
      for (const server of servers) expect(await server.end()).toBe(0)
    } finally {
      await place.dispose()
      await authority.stop()
    }
  },
)

test.if(onPostgres)('the local authority is made once by processes that start at the same time', async () => {
  const place = await Installation.make()
  try {
    const shared = ['--shared-files', join(place.home, 'shared'), '--secret', 'the secret of all processes of a test']
    const servers = await Promise.all(
      [1, 2, 3].map((n) =>
        serveLan(place, [...LAN, ...shared], { env: { TESSERA_DATA_DIR: `${place.dataDir}-${n}` } }),
      ),
    )
    expect(new Set(servers.map(({ ca }) => ca)).size).toBe(1)
    for (const { url } of servers) expect(await accepts(servers[0]!.ca, url)).toBe(true)
    await Promise.all(servers.map((server) => server.end()))
  } finally {
    await place.dispose()
  }
})
