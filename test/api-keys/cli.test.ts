/** `tessera api`, as a script calls it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { program } from '../harness/program.ts'
import { type Key, makeKey } from './helpers.ts'

describe.if(inProcess)('tessera api', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  const home = mkdtempSync(join(tmpdir(), 'tessera-api-'))
  const keyFile = join(home, 'key')
  let key: Key

  beforeAll(async () => {
    key = await makeKey(server, alice, { points: ['qr_code:read', 'qr_code:create', 'asset:read'] })
    writeFileSync(keyFile, `${key.key}\n`)
    for (let i = 0; i < 7; i++)
      ok(await alice.post('/api/qr-codes', { name: `Door ${i}`, content: `https://example.org/${i}` }))
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  async function api(args: readonly string[], { stdin, env = {} }: { stdin?: string; env?: object } = {}) {
    const child = Bun.spawn([...program, 'api', ...args], {
      cwd: home,
      env: { PATH: process.env['PATH'], TESSERA_API_URL: server.url, TESSERA_API_KEY: key.key, ...env },
      stdin: stdin === undefined ? 'ignore' : new TextEncoder().encode(stdin),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { code: await child.exited, stdout, stderr }
  }

  test('prints the data of an answer, by the environment or by options', async () => {
    const { code, stdout, stderr } = await api([
      'GET',
      '/api/qr-codes',
      '--query',
      'keyword=Door 3',
      '--query',
      'size=5',
    ])
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ total: 1, size: 5, items: [{ name: 'Door 3' }] })
    const options = ['--url', `${server.url}/`, '--key-file', keyFile, '--output', 'out.json']
    const again = await api(['get', '/api/auth/api-keys/self', ...options], {
      env: { TESSERA_API_URL: '', TESSERA_API_KEY: '' },
    })
    expect([again.code, again.stdout, again.stderr]).toEqual([0, '', ''])
    expect(JSON.parse(readFileSync(join(home, 'out.json'), 'utf8'))).toMatchObject({ id: key.id })
  })

  test('prints the rows of all pages, one a line', async () => {
    const { code, stdout } = await api(['GET', '/api/qr-codes', '--all', '--query', 'size=3'])
    expect(code).toBe(0)
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string })
    expect(rows.map(({ name }) => name)).toEqual(Array.from({ length: 7 }, (_, i) => `Door ${i}`))
  })

  test('sends a body from the command line, a file or standard input', async () => {
    const body = (name: string) => JSON.stringify({ name, content: 'https://example.org/new' })
    writeFileSync(join(home, 'body.json'), body('From a file'))
    const outcomes = [
      await api(['POST', '/api/qr-codes', '--data', body('From a word')]),
      await api(['POST', '/api/qr-codes', '--data', '@body.json']),
      await api(['POST', '/api/qr-codes', '--data', '-'], { stdin: body('From a pipe') }),
    ]
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(outcomes.map(({ stdout }) => JSON.parse(stdout).name)).toEqual(['From a word', 'From a file', 'From a pipe'])
  })

  test('prints files as they are, and with --raw also answers in their envelope', async () => {
    const png = await api(['GET', '/api/qrcode/render', '--query', 'content=x', '--output', 'x.png'])
    expect(png.code).toBe(0)
    expect(readFileSync(join(home, 'x.png')).subarray(1, 4).toString()).toBe('PNG')
    const raw = await api(['GET', '/api/auth/api-keys/self', '--raw'])
    expect(JSON.parse(raw.stdout)).toMatchObject({ code: 200, data: { id: key.id } })
  })

  test('ends with 4 for a refusal, which it prints with its code and request id', async () => {
    const missing = await api(['GET', '/api/qr-codes/999999999'])
    expect([missing.code, missing.stdout]).toEqual([4, ''])
    expect(missing.stderr).toMatch(/^404: Not found\nRequest id: \S+\n$/)
    const closed = await api(['GET', '/api/auth/sessions'])
    expect([closed.code, closed.stderr.split('\n')[0]]).toEqual([
      4,
      '403 (code 4037): This operation is not open to API keys',
    ])
    const wrong = await api(['POST', '/api/qr-codes', '--data', '{}'])
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('body.name: is required')])
  })

  test('does not repeat a key that is in the wrong place', async () => {
    for (const mistake of [[key.key], ['--key-file', key.key]]) {
      const { code, stdout, stderr } = await api(['GET', '/api/qr-codes', ...mistake])
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/key/)
      expect(stderr).not.toContain(key.key)
    }
  })

  test('waits for its turn, and ends with 5 if the server fails and with 7 if it does not answer', async () => {
    let asked = 0
    const busy = Bun.serve({
      port: 0,
      fetch({ url }) {
        asked++
        if (url.endsWith('/fails')) return new Response('', { status: 503 })
        if (url.endsWith('/much-later'))
          return Response.json({ code: 4022, message: 'Later' }, { status: 429, headers: { 'retry-after': '61' } })
        return asked === 1
          ? Response.json({ code: 4022, message: 'Later' }, { status: 429, headers: { 'retry-after': '1' } })
          : Response.json({ code: 200, data: { ok: true } })
      },
    })
    const url = busy.url.origin
    const waited = await api(['GET', '/busy', '--url', url])
    expect([waited.code, JSON.parse(waited.stdout), asked]).toEqual([0, { ok: true }, 2])
    expect((await api(['GET', '/fails', '--url', url])).code).toBe(5)
    expect((await api(['GET', '/much-later', '--url', url])).code).toBe(4)
    await busy.stop(true)
    const gone = await api(['GET', '/busy', '--url', url])
    expect([gone.code, gone.stderr]).toEqual([7, expect.stringContaining('does not answer')])
  })

  test.each([
    [['GET']],
    [['FETCH', '/api/assets']],
    [['GET', 'api/assets']],
    [['GET', '/api/assets', '--data', '{}']],
    [['POST', '/api/assets', '--data', 'name: x']],
    [['POST', '/api/assets', '--data', '@missing.json']],
    [['POST', '/api/assets', '--all']],
    [['GET', '/api/assets', '--query', 'x']],
    [['GET', '/api/assets', '--key', 'tsk_x']],
    [['GET', '/api/assets', '--key-file', 'missing']],
    [['GET', '/api/assets', '--url', 'qr.example.org']],
    [['GET', '/api/assets', '--output', 'missing/out']],
  ])('%j is refused with 2, without a request', async (args) => {
    const { code, stdout, stderr } = await api(args)
    expect([code, stdout, stderr.length > 0]).toEqual([2, '', true])
  })
})
