import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { stepAt, totp } from '#lib/totp.ts'

import { fromBase32 } from '../accounts/helpers.ts'
import { type Reply, send } from '../harness/client.ts'
import { program } from '../harness/program.ts'
import { Installation, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const login = (server: RunningCli, account: string, password: string): Promise<Reply> =>
  send(server.url, 'POST', '/api/admin/auth/login', {
    body: { account, password },
    headers: { 'x-device-id': 'device-of-the-console' },
  })

describe('tessera admin', () => {
  test('admin create, list and reset-password work and refuse taken names, weak passwords and unknown users', async () => {
    expect((await place.run(['admin', 'list'])).stdout).toBe('There is no administrator yet.\n')

    const made = await place.run(['admin', 'create', 'ann', '--generate'])
    expect(made.code).toBe(0)
    const first = /^Password: (\S{20})$/m.exec(made.stdout)![1]!

    const twice = await place.run(['admin', 'create', 'ANN', '--generate'])
    expect(twice.code).toBe(2)
    expect(twice.stdout).not.toContain('Password')

    writeFileSync(join(place.cwd, 'pw'), 'a second good password\nand a line that is not read\n')
    expect((await place.run(['admin', 'create', 'bob', '--password-file', 'pw'])).code).toBe(0)

    const weak = await place.run(['admin', 'create', 'eve', '--password-file', '-'], { stdin: 'short\n' })
    expect(weak.code).toBe(2)
    expect(weak.stderr.trimEnd().split('\n')).toHaveLength(1)
    const unknown = await place.run(['admin', 'reset-password', 'nobody', '--generate'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('nobody')

    const list = JSON.parse((await place.run(['admin', 'list', '--json'])).stdout) as {
      username: string
      isInitial: boolean
    }[]
    expect(list.map(({ username, isInitial }) => [username, isInitial])).toEqual([
      ['ann', true],
      ['bob', false],
    ])
    expect((await place.run(['admin', 'list'])).stdout).toMatch(/ann .*SYSTEM_ADMIN/)

    const before = await place.serve()
    const session = await login(before, 'ann', first)
    expect(session.status).toBe(200)
    expect((await login(before, 'bob', 'a second good password')).status).toBe(200)
    expect((await login(before, 'eve', 'short')).status).not.toBe(200)
    // No link is printed, as an administrator exists.
    expect(before.stdout().trimEnd().split('\n')).toHaveLength(1)
    await before.end()

    // The terminal asks for no password here.
    const none = await place.run(['admin', 'disable-totp', 'ann'])
    expect([none.code, none.stderr.trim()]).toEqual([2, expect.stringContaining('Two-factor sign-in is off')])
    const missing = await place.run(['admin', 'disable-totp'])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('user name is missing')])

    const stdin = 'a third good password\n'
    expect((await place.run(['admin', 'reset-password', 'ann', '--password-file', '-'], { stdin })).code).toBe(0)
    const after = await place.serve()
    expect((await login(after, 'ann', first)).status).not.toBe(200)
    expect((await login(after, 'ann', 'a third good password')).status).toBe(200)
    const headers = { 'x-device-id': 'device-of-the-console' }
    const old = await send(after.url, 'GET', '/api/auth/userinfo', { token: session.data.accessToken, headers })
    expect(old.status).toBe(401)
    await after.end()
  })

  test('admin disable-totp lets an administrator who lost the second factor sign in with the password alone', async () => {
    const made = await place.run(['admin', 'create', 'ann', '--generate'])
    const password = /^Password: (\S{20})$/m.exec(made.stdout)![1]!
    const before = await place.serve()
    const session = await login(before, 'ann', password)
    const options = { token: session.data.accessToken, deviceId: 'device-of-the-console' }
    const { secret } = (await send(before.url, 'POST', '/api/auth/totp', options)).data
    const code = totp(fromBase32(secret), stepAt(Date.now()))
    const enabled = await send(before.url, 'POST', '/api/auth/totp/confirm', { ...options, body: { totp: code } })
    expect(enabled.status).toBe(200)
    expect((await login(before, 'ann', password)).code).toBe(4032)
    await before.end()

    const removed = await place.run(['admin', 'disable-totp', 'ann'])
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('ann')])
    const after = await place.serve()
    expect((await login(after, 'ann', password)).status).toBe(200)
    expect((await send(after.url, 'GET', '/api/auth/userinfo', options)).status).toBe(401)
    await after.end()
  })

  test('admin create asks for the password on a terminal without showing it', async () => {
    const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')
    const type = async (text: string): Promise<string> => {
      const child = Bun.spawn(['script', '-qec', quoted([...program, 'admin', 'create', 'ann']), '/dev/null'], {
        cwd: place.cwd,
        env: {
          PATH: process.env['PATH'],
          TESSERA_DATA_DIR: place.dataDir,
          TESSERA_DATABASE_URL: place.databaseUrl,
          TERM: 'xterm',
        },
        stdin: 'pipe',
        stdout: 'pipe',
      })
      let out = ''
      let asked = 0
      for await (const chunk of child.stdout) {
        out += new TextDecoder().decode(chunk)
        const questions = out.split(/New password: |Repeat the password: /).length - 1
        if (questions > asked) {
          asked = questions
          child.stdin.write(`${text}\r`)
          await child.stdin.flush()
        }
      }
      await child.exited
      return out
    }
    const out = await type('typed in the dark')
    expect(out).toContain('Administrator ann was created.')
    expect(out).not.toContain('typed in the dark')
  })
})

describe('the first administrator', () => {
  test('while there is no administrator, each start prints a new setup link', async () => {
    const links = []
    for (let i = 0; i < 2; i++) {
      const server = await place.serve()
      while (!server.stdout().includes('/setup?token=')) await Bun.sleep(5)
      const link = /http:\/\/\S+$/.exec(server.stdout().trimEnd())![0]
      expect(link).toStartWith(`${server.url}/setup?token=`)
      expect((await fetch(link)).status).toBe(200)
      links.push(new URL(link).search)
      // The log does not contain it.
      await server.end()
      expect(server.stderr()).not.toContain(new URL(link).searchParams.get('token')!)
    }
    expect(links[0]).not.toBe(links[1]!)
    const server = await place.serve(['--public-url', 'https://qr.example.org'])
    while (!server.stdout().includes('/setup?token=')) await Bun.sleep(5)
    expect(server.stdout()).toContain('https://qr.example.org/setup?token=')
    await server.end()
  })

  test('the configuration creates the first administrator and does not change it later', async () => {
    writeFileSync(join(place.cwd, 'pw'), 'from the configuration\n')
    const env = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD_FILE: 'pw' }
    const first = await place.serve([], { env })
    expect(first.stdout()).not.toContain('/setup')
    expect((await login(first, 'root', 'from the configuration')).status).toBe(200)
    await first.end()
    // The configuration is changed: the administrator keeps name and password.
    const second = await place.serve([], {
      env: { TESSERA_ADMIN_USERNAME: 'other', TESSERA_ADMIN_PASSWORD: 'another password' },
    })
    expect((await login(second, 'other', 'another password')).status).not.toBe(200)
    expect((await login(second, 'root', 'from the configuration')).status).toBe(200)
    await second.end()
  })

  test('a configured administrator password that is too weak is a mistake in the configuration', async () => {
    const { code, stderr } = await place.run(['serve'], {
      env: { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: 'root', TESSERA_LOG_LEVEL: 'error' },
    })
    expect(code).toBe(2)
    expect(stderr).toContain('TESSERA_ADMIN_PASSWORD')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('admin reset-code prints a code for any user while the server runs, which works once', async () => {
    expect((await place.run(['admin', 'create', 'ann', '--generate'])).code).toBe(0)
    const server = await place.serve()
    const made = await place.run(['admin', 'reset-code', 'ANN'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const code = /: (([A-Z2-9]{4}-){3}[A-Z2-9]{4})$/m.exec(made.stdout)![1]!
    const newer = /: (\S{19})$/m.exec((await place.run(['admin', 'reset-code', 'ann'])).stdout)![1]!
    const redeem = (given: string) =>
      send(server.url, 'POST', '/api/auth/password/redeem', {
        body: { account: 'ann', code: given, newPassword: 'a password after the code' },
      })
    expect([(await redeem(code)).status, (await redeem(newer)).status, (await redeem(newer)).status]).toEqual([
      400, 200, 400,
    ])
    expect((await login(server, 'ann', 'a password after the code')).status).toBe(200)
    const unknown = await place.run(['admin', 'reset-code', 'nobody'])
    expect([unknown.code, unknown.stdout]).toEqual([2, ''])
  })
})
