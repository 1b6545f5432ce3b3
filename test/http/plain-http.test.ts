/** The port for plain HTTP leads to names of the server only, whatever host a request names. */

import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import { plainHttp } from '#http/plain-http.ts'

const config = {
  ...defaultConfig,
  host: '127.0.0.1',
  publicUrl: 'https://qr.example.org:8443',
  domain: ['qr.example.org', 'www.example.org', 'xn--mnchen-3ya.example'],
}
const listener = Bun.serve({
  ...plainHttp(
    { config } as unknown as AppContext,
    () => new Response('answered'),
    () => undefined,
  ),
  hostname: config.host,
  port: 0,
})
afterAll(() => listener.stop())

/** Sends the lines as they are. */
const answerTo = (...lines: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(listener.port!, '127.0.0.1', () =>
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n')),
    )
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => (text += part))
    socket.on('error', reject).on('close', () => resolve(text))
  })
const locationIn = (text: string): string | undefined => /^location: (.*)\r$/im.exec(text)?.[1]

const PUBLIC = 'https://qr.example.org:8443'

test.each([
  ['www.example.org', 'https://www.example.org:8443'],
  ['WWW.Example.ORG', 'https://www.example.org:8443'],
  ['www.example.org:80', 'https://www.example.org:8443'],
  ['xn--mnchen-3ya.example', 'https://xn--mnchen-3ya.example:8443'],
  ['evil.example', PUBLIC],
  ['evil.example:8443', PUBLIC],
  ['www.example.org.', PUBLIC],
  ['www.example.org.evil.example', PUBLIC],
  ['evil.example.www.example.org', PUBLIC],
  ['[2001:db8::1]', PUBLIC],
  ['[::ffff:127.0.0.1]:80', PUBLIC],
  ['127.0.0.1', PUBLIC],
])('a request for the host %s is led to %s', async (host, origin) => {
  const answer = await answerTo('GET /s/asset/1?a=b HTTP/1.1', `Host: ${host}`)
  expect(answer).toStartWith('HTTP/1.1 308 ')
  expect(locationIn(answer)).toBe(`${origin}/s/asset/1?a=b`)
  expect(answer).not.toMatch(/set-cookie/i)
})

test.each<[string, string[]]>([
  ['a user before the host', ['GET / HTTP/1.1', 'Host: www.example.org@evil.example']],
  ['a user with a name of the server behind it', ['GET / HTTP/1.1', 'Host: evil.example@www.example.org']],
  ['a fragment in the host', ['GET / HTTP/1.1', 'Host: evil.example#www.example.org']],
  ['a path in the host', ['GET / HTTP/1.1', 'Host: evil.example/www.example.org']],
  ['a backslash in the host', ['GET / HTTP/1.1', 'Host: evil.example\\www.example.org']],
  ['two hosts', ['GET / HTTP/1.1', 'Host: www.example.org', 'Host: evil.example']],
  ['two hosts in the other order', ['GET / HTTP/1.1', 'Host: evil.example', 'Host: www.example.org']],
  ['a forwarded host', ['GET / HTTP/1.1', 'Host: www.example.org', 'X-Forwarded-Host: evil.example']],
  ['another host in the target', ['GET http://evil.example/ HTTP/1.1', 'Host: www.example.org']],
  ['a host in the path', ['GET //evil.example/ HTTP/1.1', 'Host: www.example.org']],
  ['no host', ['GET / HTTP/1.0']],
  ['a line break in the path', ['GET /%0d%0aLocation:%20https://evil.example HTTP/1.1', 'Host: www.example.org']],
])('a request with %s is led nowhere else', async (_what, lines) => {
  const answer = await answerTo(...lines)
  const location = locationIn(answer)
  // Requests that are not HTTP are refused.
  if (location === undefined) expect(answer).toMatch(/^(HTTP\/1\.1 400 |$)/)
  else expect([PUBLIC, 'https://www.example.org:8443']).toContain(new URL(location).origin)
})

test('challenges are asked of the public address, whatever the host is', async () => {
  for (const host of ['evil.example', '[::1]:80', 'www.example.org.'])
    expect(
      await answerTo('GET /.well-known/acme-challenge/abcdefghijklmnopqrstuvwxyz HTTP/1.1', `Host: ${host}`),
    ).toEndWith('answered')
})
