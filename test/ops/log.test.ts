import { describe, expect, test } from 'bun:test'

import { createLog, type Fields, type LogOptions } from '#platform/log.ts'
import { maskText } from '#platform/mask.ts'

const clock = { now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 6) }
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

function memory(options: Partial<LogOptions> = {}) {
  const writes: string[] = []
  const log = createLog({ level: 'info', format: 'json', clock, write: (lines) => writes.push(lines), ...options })
  return { log, writes, text: () => writes.join('') }
}

function logged(fields: Fields): Record<string, unknown> {
  const { log, text } = memory()
  log.warn('x', fields)
  return JSON.parse(text())
}

describe('masking', () => {
  test.each([
    [`token ${JWT} refused`, 'token *** refused'],
    [`Authorization: Bearer ${JWT}`, 'Authorization: Bearer ***'],
    ['GET /setup?token=abc&x=1', 'GET /setup?token=***&x=1'],
    ['password=hunter2 refused', 'password=*** refused'],
    ['{"refreshToken":"abc"}', '{"refreshToken":"***"}'],
    ['GET /api/files/7/content?expires=9&signature=a-b_c', 'GET /api/files/7/content?expires=9&signature=***'],
    ['X-Amz-Credential=k%2Fs3&X-Amz-Signature=0af', 'X-Amz-Credential=***&X-Amz-Signature=***'],
    ['code: 123456', 'code: ***'],
    ['mail to ada.lovelace@example.com failed', 'mail to a***@example.com failed'],
    ['called +8613812345678', 'called +86***78'],
    ['called 13812345678.', 'called 13812345678.'.replace('812345678', '8***78')],
    ['postgres://u:p@db/x is down', 'postgres://***@db/x is down'],
  ])('the log line "%s" is masked as "%s"', (given, masked) => expect(maskText(given)).toBe(masked))

  test.each([
    'listening on http://127.0.0.1:8080',
    'exit code: 1',
    'at 1732176000000 for 86400000 ms',
    'row 138123456789 of 3',
    '2001:db8::1 asked 4022 times',
    'tessera-1.2.3-x64 at 12:30:00',
    'The S3 server refuses the credentials: check the signature version',
  ])('the log line %p is not masked', (text) => expect(maskText(text)).toBe(text))

  test('log fields with secret or contact names are masked at any depth', () => {
    const line = logged({
      accessToken: 'a',
      password: 'b',
      headers: { authorization: 'c', cookie: 'd' },
      deviceId: 'e',
      code: '123456',
      email: 'x@y.org',
      phone: '12',
      credential: 'f',
      list: [{ secret: 'g' }],
      smsCode: 654321,
    })
    expect(line).toMatchObject({
      accessToken: '***',
      password: '***',
      headers: { authorization: '***', cookie: '***' },
      deviceId: '***',
      code: '***',
      email: 'x***@y.org',
      phone: '1***',
      credential: '***',
      list: [{ secret: '***' }],
      smsCode: '***',
    })
  })

  test('error codes, counts and ids in log fields are not masked', () => {
    expect(logged({ code: 4022, errno: 'ENOSPC', userId: 13812345678, count: 123456 })).toMatchObject({
      code: 4022,
      errno: 'ENOSPC',
      userId: 13812345678,
      count: 123456,
    })
  })

  test('a logged error keeps its name, code, stack and masked message', () => {
    const error = Object.assign(new TypeError('no mailbox ada@example.com', { cause: new Error('token=abc') }), {
      code: 'EENVELOPE',
    })
    const line = logged({ error }) as { error: Record<string, unknown> }
    expect(line.error).toMatchObject({ name: 'TypeError', message: 'no mailbox a***@example.com', code: 'EENVELOPE' })
    expect(JSON.stringify(line)).not.toContain('ada@')
    expect(JSON.stringify(line)).not.toContain('abc')
    expect(String(line.error['stack'])).toContain('log.test.ts')
  })

  test('bytes, cycles and long lists in log fields are shortened', () => {
    const cycle: Fields = {}
    cycle['self'] = cycle
    const line = JSON.stringify(logged({ cycle, bytes: new Uint8Array(1e6), list: new Array(1e5).fill('x') }))
    expect(line).toContain('"bytes":"1000000 bytes"')
    expect(line.length).toBeLessThan(1000)
  })
})

describe('lines', () => {
  test('lines below the log level are not written', () => {
    const { log, text } = memory({ level: 'warn' })
    log.debug('a')
    log.info('b')
    log.access('GET', '/', 200, 1, { requestId: 'r', ip: '::1' }, 0)
    log.flush()
    expect(text()).toBe('')
    log.warn('c')
    expect(text()).toContain('"c"')
  })

  test('control characters cannot forge or hide log lines', () => {
    const { log, text } = memory({ format: 'text' })
    log.warn('a\n2030-01-02T03:04:05.006Z ERROR forged', { name: 'x\u001b[2J' })
    log.access('GET', '/a\r\nb', 404, 1, { requestId: 'r', ip: '::1' }, 0)
    log.flush()
    expect(text().trimEnd().split('\n')).toHaveLength(2)
    expect(text()).not.toContain('\u001b')
  })

  test('every access line is valid JSON even if the path contains special characters', () => {
    const { log, text } = memory()
    for (const path of ['/a', '/"\\', '/\n', '/\u2028x', '/中'])
      log.access('GET', path, 200, 1.23456, { requestId: 'r-1', ip: '::1' }, 7)
    log.flush()
    const lines = text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((line) => line.path)).toEqual(['/a', '/"\\', '/\n', '/\u2028x', '/中'])
    expect(lines[0]).toEqual({
      time: '2030-01-02T03:04:05.006Z',
      level: 'info',
      message: 'request',
      method: 'GET',
      path: '/a',
      status: 200,
      ms: 1.23,
      requestId: 'r-1',
      ip: '::1',
      userId: 7,
    })
  })

  test('access lines are buffered, and a warning writes them in order', async () => {
    const { log, writes } = memory({ format: 'text' })
    for (let i = 0; i < 100; i++) log.access('GET', `/${i}`, 200, 1, { requestId: 'r', ip: '::1' }, 0)
    expect(writes).toHaveLength(0)
    log.warn('now')
    expect(writes).toHaveLength(1)
    expect(writes[0]!.split('\n')).toHaveLength(102)
    expect(writes[0]!.split('\n')[100]).toContain('now')
    log.access('GET', '/later', 200, 1, { requestId: 'r', ip: '::1' }, 0)
    while (writes.length < 2) await Bun.sleep(10)
    expect(writes[1]).toContain('/later')
  })

  test('a full buffer is written at once', () => {
    const { log, writes } = memory()
    for (let i = 0; i < 1000; i++) log.access('GET', '/'.padEnd(100, 'x'), 200, 1, { requestId: 'r', ip: '::1' }, 0)
    expect(writes.length).toBeGreaterThan(1)
    expect(writes.length).toBeLessThan(10)
  })
})

test('no log line is lost if the pipe is read slowly', async () => {
  const script = `
    const { createLog } = await import(${JSON.stringify(Bun.resolveSync('../../src/platform/log.ts', import.meta.dir))})
    const log = createLog({ level: 'info', format: 'json' })
    process.on('exit', () => log.flush())
    for (let i = 0; i < 20000; i++) log.access('GET', '/' + i, 200, 1, { requestId: 'r', ip: '::1' }, 0)
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe', stdout: 'ignore' })
  await Bun.sleep(300)
  const lines = (await new Response(child.stderr).text()).trimEnd().split('\n')
  expect(await child.exited).toBe(0)
  expect(lines).toHaveLength(20_000)
  expect(JSON.parse(lines[19_999]!).path).toBe('/19999')
})
