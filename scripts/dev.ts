/**
 * `bun run dev`: runs the server in `data/dev` with demo users and codes, and restarts it at each change. The demo accounts have
 * known passwords, so it listens on the loopback interface only.
 */

import { resolve } from 'node:path'

const ADMIN = { username: 'admin', password: 'demo admin of tessera' }
const PEOPLE = [
  { username: 'ada', nickname: 'Ada', password: 'ada-demo-pass' },
  { username: 'xiaoming', nickname: '小明', password: 'xiaoming-demo-pass' },
]
const CODES = [
  { name: 'Home page', content: 'https://example.org/', isPublic: true },
  { name: 'Guest Wi-Fi', content: 'WIFI:T:WPA;S:Lobby;P:welcome-2030;;' },
  { name: '会议室', content: '三楼 301 会议室 📍', remark: 'Latin, Chinese and emoji in one code' },
  { name: 'Front desk', content: 'tel:+8613800000000' },
]

const root = resolve(import.meta.dir, '..')
const server = Bun.spawn(
  [process.execPath, '--watch', '--no-clear-screen', 'src/main.ts', 'serve', ...process.argv.slice(2)],
  {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'development',
      TESSERA_DATA_DIR: resolve(root, 'data/dev'),
      TESSERA_ADMIN_USERNAME: ADMIN.username,
      TESSERA_ADMIN_PASSWORD: ADMIN.password,
    },
    stdio: ['inherit', 'pipe', 'inherit'],
  },
)
// Ctrl-C reaches the server too, because it is on the same terminal. Passing it on would be a second signal.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => server.kill('SIGTERM'))

let seeded = false
const decoder = new TextDecoder()
for await (const chunk of server.stdout) {
  const text = decoder.decode(chunk, { stream: true })
  process.stdout.write(text)
  const url = /listening on (http:\/\/\S+)/.exec(text)?.[1]
  if (url === undefined || seeded) continue
  seeded = true
  await seed(url).catch((error: unknown) =>
    console.error(`The demo data could not be created: ${(error as Error).message}`),
  )
}
process.exit(await server.exited)

interface Session {
  accessToken: string
}

async function seed(url: string): Promise<void> {
  const device = (name: string): Record<string, string> => ({
    'x-device-id': `demo-device-of-${name}`,
    'x-device-name': 'Demo',
  })

  async function call<T>(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<T> {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data, message } = (await answer.json()) as { data: T; message?: string }
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${message ?? ''}`)
    return data
  }

  for (const { username, nickname, password } of PEOPLE) {
    const headers = device(username)
    const login = (): Promise<Session> => call('POST', '/api/auth/login', headers, { account: username, password })
    const { accessToken } = await login().catch(() =>
      call<Session>('POST', '/api/auth/register', headers, { username, nickname, password }),
    )
    const signedIn = { ...headers, authorization: `Bearer ${accessToken}` }
    const { total } = await call<{ total: number }>('GET', '/api/qr-codes?size=1', signedIn)
    if (total === 0) for (const code of CODES) await call('POST', '/api/qr-codes', signedIn, code)
  }
  console.log('\nDemo accounts:')
  for (const { username, password } of [...PEOPLE, ADMIN]) console.log(`  ${username.padEnd(10)} ${password}`)
  console.log()
}
