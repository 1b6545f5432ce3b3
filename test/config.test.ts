import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defaultConfig, isShared } from '#config/config.ts'
import { parseHeaders } from '#config/gateways.ts'
import { isPrivateIp, isPrivateName } from '#config/machine.ts'
import { readConfig, type Reading } from '#config/read.ts'
import { envName, maskedValue, settings } from '#config/settings.ts'
import { readStorageUrl } from '#config/storage.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-config-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let directory = ''
let count = 0
beforeEach(() => {
  directory = join(scratch, String(count++))
  mkdirSync(directory)
})

const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return name
}

function read(env: Record<string, string> = {}, flags: Record<string, string> = {}, configFile?: string): Reading {
  const named = configFile === undefined ? {} : { configFile }
  return readConfig({ env, flags: new Map(Object.entries(flags)), directory, terminal: false, ...named })
}

test('without any setting the defaults are used and there are no mistakes', () => {
  const { config, problems, origins, file: found } = read()
  expect(problems).toEqual([])
  expect(origins.size).toBe(0)
  expect(found).toBeUndefined()
  expect(config).toEqual({ ...defaultConfig, dataDir: join(directory, 'data'), checkAnswers: false })
  expect(Object.isFrozen(config)).toBe(true)
})

test('with TESSERA_DOMAIN the defaults are those of a server for the internet', () => {
  const { config, problems } = read({ TESSERA_DOMAIN: 'qr.example.org,www.example.org' })
  expect(problems).toEqual([])
  expect(config).toMatchObject({ port: 443, httpPort: 80, publicUrl: 'https://qr.example.org' })
  expect(['::', '0.0.0.0']).toContain(config.host)
  const other = read({ TESSERA_DOMAIN: 'qr.example.org', TESSERA_PORT: '8443', TESSERA_HTTP_PORT: '8080' })
  expect(other.config).toMatchObject({ port: 8443, httpPort: 8080, publicUrl: 'https://qr.example.org:8443' })
})

test.each<[string, Record<string, string>, RegExp]>([
  ['an address', { TESSERA_DOMAIN: '192.0.2.1' }, /TESSERA_DOMAIN is "192\.0\.2\.1" but must be 1 to 20 names/],
  ['a name of one label', { TESSERA_DOMAIN: 'localhost' }, /must be 1 to 20 names/],
  ['a port', { TESSERA_DOMAIN: 'qr.example.org:443' }, /must be 1 to 20 names/],
  ['a wildcard first', { TESSERA_DOMAIN: '*.example.org' }, /the first without \*/],
  [
    'a wildcard without a program for DNS',
    { TESSERA_DOMAIN: 'a.example,*.a.example' },
    /The name \*\.a\.example requires/,
  ],
  [
    'no port for challenges',
    { TESSERA_DOMAIN: 'a.example', TESSERA_HTTP_PORT: 'off' },
    /=off requires TESSERA_ACME_DNS/,
  ],
  [
    'another public address',
    { TESSERA_DOMAIN: 'a.example', TESSERA_PUBLIC_URL: 'https://b.example' },
    /with a name of/,
  ],
  ['a public address without TLS', { TESSERA_DOMAIN: 'a.example', TESSERA_PUBLIC_URL: 'http://a.example' }, /https:/],
  ['one port for both', { TESSERA_DOMAIN: 'a.example', TESSERA_PORT: '80' }, /are both 80: choose another one/],
  [
    'files of a certificate',
    { TESSERA_DOMAIN: 'a.example', TESSERA_TLS_CERT: 'c', TESSERA_TLS_KEY: 'k' },
    /TESSERA_TLS_CERT and TESSERA_DOMAIN cannot be used together/,
  ],
])('names for a certificate cannot be used with %s', (_what, env, sentence) => {
  expect(read(env).problems).toEqual([expect.stringMatching(sentence)])
})

test('every setting can be set by a flag, a variable or the file', () => {
  const good: Record<string, [text: string, value: unknown]> = {
    host: ['0.0.0.0', '0.0.0.0'],
    port: ['80', 80],
    tlsCert: ['/c.pem', '/c.pem'],
    tlsKey: ['/k.pem', '/k.pem'],
    domain: ['QR.example.org., münchen.example', ['qr.example.org', 'xn--mnchen-3ya.example']],
    acmeEmail: ['admin@example.org', 'admin@example.org'],
    acmeDirectory: ['https://CA.example.org/dir', 'https://ca.example.org/dir'],
    acmeCa: ['/ca.pem', '/ca.pem'],
    acmeDnsCommand: ['/usr/bin/dns', '/usr/bin/dns'],
    lan: ['on', true],
    httpPort: ['8081', 8081],
    publicUrl: ['https://QR.example.org/', 'https://qr.example.org'],
    shortUrl: ['https://Go.example.org/x//', 'https://go.example.org/x'],
    dataDir: ['x', ''],
    databaseUrl: ['postgres://u:p@h/d', 'postgres://u:p@h/d'],
    databaseDirectUrl: ['postgres://u:p@h:2/d', 'postgres://u:p@h:2/d'],
    databaseReadUrl: ['postgres://u:p@h:3/d', 'postgres://u:p@h:3/d'],
    databaseConnections: ['12', 12],
    storageUrl: ['s3://k:s@h/bucket', 's3://k:s@h/bucket'],
    sharedFiles: ['/shared', '/shared'],
    backupDir: ['/backups', '/backups'],
    secret: ['s'.repeat(32), 's'.repeat(32)],
    metricsToken: ['t'.repeat(16), 't'.repeat(16)],
    otlpUrl: ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    otlpHeaders: ['authorization=Bearer%20x', 'authorization=Bearer%20x'],
    traceRatio: ['0.5', 0.5],
    adminUsername: ['root', 'root'],
    adminPassword: ['p', 'p'],
    smtpUrl: ['smtps://u:p@h', 'smtps://u:p@h'],
    mailFrom: ['Tessera <a@b.org>', 'Tessera <a@b.org>'],
    smsUrl: ['https://:s@h/x', 'https://:s@h/x'],
    oneclickUrl: ['aliyun://K:S@h', 'aliyun://K:S@h'],
    geoipFile: ['/x/v4.xdb, /x/v6.xdb', ['/x/v4.xdb', '/x/v6.xdb']],
    trustedProxies: ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    corsOrigins: [
      'https://App.example.org:443/, http://localhost:5173',
      ['https://app.example.org', 'http://localhost:5173'],
    ],
    pushServices: ['http://ntfy.lan:80', ['http://ntfy.lan']],
    privateTargets: ['http://nas.lan:5678/, https://10.0.0.5:443', ['http://nas.lan:5678', 'https://10.0.0.5']],
    updateUrl: ['https://Example.org/update.json', 'https://example.org/update.json'],
    logLevel: ['DEBUG', 'debug'],
    logFormat: ['text', 'text'],
    rateLimit: ['off', false],
    drainSeconds: ['5.5', 5.5],
  }
  good['dataDir']![1] = join(directory, 'x')
  expect(Object.keys(good)).toEqual(settings.map(({ key }) => key))
  // Files are either in S3 or shared, and certificates of somebody or of the server.
  delete good['sharedFiles']
  // A certificate is in files, ordered, or of the server's own authority.
  delete good['tlsCert']
  delete good['tlsKey']
  delete good['lan']
  const values = Object.fromEntries(Object.entries(good).map(([key, [, value]]) => [key, value]))
  const kebab = (key: string): string => key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)
  const texts = Object.entries(good).map(([key, [text]]) => [key, text] as const)

  const byEnv = read(Object.fromEntries(texts.map(([key, text]) => [envName(key as never), text])))
  expect(byEnv.problems).toEqual([])
  expect(byEnv.config).toMatchObject(values)

  const byFlag = read({}, Object.fromEntries(texts.map(([key, text]) => [kebab(key), text])))
  expect(byFlag.problems).toEqual([])
  expect(byFlag.config).toMatchObject(values)

  file(
    'tessera.toml',
    texts.map(([key, text]) => `${kebab(key).replaceAll('-', '_')} = ${JSON.stringify(text)}`).join('\n'),
  )
  const byFile = read()
  expect(byFile.problems).toEqual([])
  expect(byFile.config).toMatchObject(values)
  expect(byFile.file).toBe(join(directory, 'tessera.toml'))
})

describe('TESSERA_LAN', () => {
  test.each([
    ['a flag without a value', {}, { lan: '' }, true],
    ['TESSERA_LAN=on', { TESSERA_LAN: 'on' }, {}, true],
    ['TESSERA_LAN=off', { TESSERA_LAN: 'off' }, {}, false],
  ])('is read from %s', (_, env, flags, expected) => {
    const { config, problems } = read(env, flags)
    expect([config.lan, problems]).toEqual([expected, []])
  })

  test('listens on all addresses at port 8443, and its public address is one of this machine', () => {
    const { config } = read({ TESSERA_LAN: 'on' })
    expect(['0.0.0.0', '::']).toContain(config.host)
    expect([config.port, config.httpPort]).toEqual([8443, null])
    const { protocol, hostname, port } = new URL(config.publicUrl)
    expect([protocol, port]).toEqual(['https:', '8443'])
    const host = hostname.replace(/^\[|\]$/g, '')
    expect(isPrivateIp(host) || isPrivateName(host)).toBe(true)
    const given = { TESSERA_PORT: '443', TESSERA_HOST: '10.1.2.3', TESSERA_PUBLIC_URL: 'https://willow.lan' }
    expect(read({ TESSERA_LAN: 'on', ...given }).config).toMatchObject({
      host: '10.1.2.3',
      port: 443,
      publicUrl: 'https://willow.lan',
    })
  })

  test.each([
    'http://willow.lan',
    'https://qr.example.org',
    'https://8.8.8.8',
    'https://dev',
    'https://local',
    'https://[2001:db8::1]',
  ])('does not accept the public address %s', (url) => {
    expect(read({ TESSERA_LAN: 'on', TESSERA_PUBLIC_URL: url }).problems).toEqual([
      `TESSERA_PUBLIC_URL is "${url}" but must be https:// with a name or an address of a private network, because of TESSERA_LAN.`,
    ])
  })

  test('excludes a certificate, and allows a port for plain HTTP', () => {
    expect(read({ TESSERA_LAN: 'on', TESSERA_TLS_CERT: 'c', TESSERA_TLS_KEY: 'k' }).problems).toEqual([
      'TESSERA_TLS_CERT and TESSERA_LAN cannot be used together.',
    ])
    expect(read({ TESSERA_LAN: 'on', TESSERA_HTTP_PORT: '8080' }).problems).toEqual([])
    expect(read({ TESSERA_HTTP_PORT: '8081' }).problems).toEqual([
      'TESSERA_HTTP_PORT requires TESSERA_TLS_CERT or TESSERA_DOMAIN or TESSERA_LAN as well.',
    ])
  })
})

test('TESSERA_SHARED_FILES requires PostgreSQL, a secret and a public URL, and excludes S3', () => {
  const shared = { TESSERA_SHARED_FILES: 'shared' }
  expect(read(shared).problems).toEqual([
    'TESSERA_SHARED_FILES requires TESSERA_DATABASE_URL as well.',
    'TESSERA_SHARED_FILES requires TESSERA_SECRET as well.',
    'TESSERA_SHARED_FILES requires TESSERA_PUBLIC_URL as well.',
  ])
  const complete = {
    ...shared,
    TESSERA_DATABASE_URL: 'postgres://h/d',
    TESSERA_SECRET: 's'.repeat(32),
    TESSERA_PUBLIC_URL: 'https://qr.example.org',
  }
  const { config, problems } = read(complete)
  expect(problems).toEqual([])
  expect(config.sharedFiles).toBe(join(directory, 'shared'))
  expect(isShared(config)).toBe(true)
  expect(read({ ...complete, TESSERA_STORAGE_URL: 's3://k:s@h/bucket' }).problems).toEqual([
    'TESSERA_SHARED_FILES cannot be used together with TESSERA_STORAGE_URL.',
  ])
})

test.each([
  ['SQLite', {}, false],
  ['SQLite with files in S3', { storageUrl: 's3://k:s@h/bucket' }, false],
  ['PostgreSQL with files in the data directory', { databaseUrl: 'postgres://h/d' }, false],
  ['PostgreSQL with files in S3', { databaseUrl: 'postgres://h/d', storageUrl: 's3://k:s@h/bucket' }, true],
  ['PostgreSQL with shared files', { databaseUrl: 'postgres://h/d', sharedFiles: '/shared' }, true],
])('isShared recognizes %s', (_, given, expected) => {
  expect(isShared({ ...defaultConfig, ...given })).toBe(expected)
})

test('TESSERA_DATABASE_CONNECTIONS requires PostgreSQL, and 9 of them if several processes can serve the database', () => {
  const connections = (most: number) => ({ TESSERA_DATABASE_CONNECTIONS: String(most) })
  const alone = { TESSERA_DATABASE_URL: 'postgres://h/d' }
  const others = { TESSERA_DATABASE_DIRECT_URL: 'postgres://h/d', TESSERA_DATABASE_READ_URL: 'postgres://h:2/d' }
  expect(read({ ...connections(12), ...others }).problems).toEqual([
    'TESSERA_DATABASE_DIRECT_URL requires TESSERA_DATABASE_URL as well.',
    'TESSERA_DATABASE_READ_URL requires TESSERA_DATABASE_URL as well.',
    'TESSERA_DATABASE_CONNECTIONS requires TESSERA_DATABASE_URL as well.',
  ])
  for (const most of [5, 100]) expect(read({ ...alone, ...connections(most) }).problems).toEqual([])
  for (const most of [4, 101])
    expect(read({ ...alone, ...connections(most) }).problems).toEqual([
      `TESSERA_DATABASE_CONNECTIONS is "${most}" but must be a whole number from 5 to 100.`,
    ])
  const several = { ...alone, TESSERA_STORAGE_URL: 's3://k:s@h/bucket' }
  expect(read({ ...several, ...connections(9) }).problems).toEqual([])
  expect(read({ ...several, ...connections(8) }).problems).toEqual([
    'TESSERA_DATABASE_CONNECTIONS must be at least 9 if several processes can serve the database (TESSERA_STORAGE_URL).',
  ])
})

test('TESSERA_OTLP_HEADERS and TESSERA_TRACE_RATIO require a collector', () => {
  const given = (headers: string, ratio: string) => ({ TESSERA_OTLP_HEADERS: headers, TESSERA_TRACE_RATIO: ratio })
  expect(read(given('x-key=a', '1')).problems).toEqual([
    'TESSERA_OTLP_HEADERS requires TESSERA_OTLP_URL as well.',
    'TESSERA_TRACE_RATIO requires TESSERA_OTLP_URL as well.',
  ])
  const collector = (path: string) => ({ TESSERA_OTLP_URL: `https://otel.example.org${path}` })
  for (const ratio of ['0', '0.000001', '1.0'])
    expect(read({ ...collector(''), ...given('x-key=a, y=%62', ratio) }).problems).toEqual([])
  for (const ratio of ['2', '1.1', '-1', '.5', '1e-3', '1%'])
    expect(read({ ...collector(''), ...given('x=y', ratio) }).problems).toEqual([
      `TESSERA_TRACE_RATIO is "${ratio}" but must be a number from 0 to 1.`,
    ])
  for (const headers of ['hunter2', 'x=', '=hunter2', 'x y=hunter2', 'x=hunter2%zz', 'x=hunter2%0a', 'x=hunter2é']) {
    const { problems } = read({ ...collector(''), ...given(headers, '1') })
    expect(problems, headers).toHaveLength(1)
    expect(problems[0]).not.toContain('hunter2')
  }
  const urlOf = (path: string) => read(collector(path)).config.otlpUrl
  expect(urlOf('/')).toBe('https://otel.example.org/v1/traces')
  expect(urlOf('/otlp/v1/traces')).toBe('https://otel.example.org/otlp/v1/traces')
  expect(parseHeaders('Authorization=Bearer%20a=b,,x-key = c ')).toEqual({ authorization: 'Bearer a=b', 'x-key': 'c' })
})

test('a flag overrides a variable, which overrides the file, which overrides the default', () => {
  file('tessera.toml', 'port = 1\nhost = "::"\nlog_level = "warn"\n')
  const { config, origins } = read({ TESSERA_PORT: '2', TESSERA_HOST: '0.0.0.0' }, { port: '3' })
  expect(config).toMatchObject({ port: 3, host: '0.0.0.0', logLevel: 'warn', rateLimit: true })
  expect(Object.fromEntries(origins)).toEqual({
    port: '--port',
    host: 'TESSERA_HOST',
    logLevel: 'log_level in tessera.toml',
  })
})

test('numbers, booleans and lists of TOML are accepted as values', () => {
  file('tessera.toml', 'port = 0\nrate_limit = false\ntrusted_proxies = ["10.0.0.0/8", "::1"]\n')
  expect(read().problems).toEqual([])
  expect(read().config).toMatchObject({ port: 0, rateLimit: false, trustedProxies: ['10.0.0.0/8', '::1'] })
  file('tessera.toml', 'trusted_proxies = []')
  expect(read().config.trustedProxies).toEqual([])
})

test('a secret can be read from a file, without its final newline', () => {
  const path = file('secret', `${'x'.repeat(40)}\n`)
  expect(read({ TESSERA_SECRET_FILE: path }).config.secret).toBe('x'.repeat(40))
  expect(read({}, { 'secret-file': join(directory, path) }).config.secret).toBe('x'.repeat(40))
  file('tessera.toml', 'secret_file = "secret"')
  expect(read().config.secret).toBe('x'.repeat(40))
  // A flag overrides a file that is named by a variable.
  expect(read({ TESSERA_SECRET_FILE: path }, { secret: 'y'.repeat(32) }).config.secret).toBe('y'.repeat(32))
})

test('an empty variable counts as not set', () => {
  expect(read({ TESSERA_PORT: '', TESSERA_DATABASE_URL: '' }).problems).toEqual([])
  expect(read({ TESSERA_PORT: '' }).config.port).toBe(8080)
})

test('the default public URL contains the port', () => {
  expect(read({ TESSERA_PORT: '80' }).config.publicUrl).toBe('http://localhost')
  expect(read({ TESSERA_PORT: '9000' }).config.publicUrl).toBe('http://localhost:9000')
})

describe('mistakes in the configuration', () => {
  test('all mistakes are reported at once, with the setting and the accepted values', () => {
    file('tessera.toml', 'host = "no host"\ncolour = 1\n')
    const { problems } = read(
      { TESSERA_PORT: '80a', TESSERA_SECRET: 'short', TESSERA_PROT: '1', TESSERA_ADMIN_USERNAME: 'root', OTHER: 'x' },
      { 'log-level': 'loud' },
    )
    expect(problems).toEqual([
      'TESSERA_PROT is not a setting; did you mean TESSERA_PORT?',
      'colour in tessera.toml is not a setting.',
      'host in tessera.toml is "no host" but must be an IP address or a host name.',
      'TESSERA_PORT is "80a" but must be a whole number from 0 to 65535.',
      'TESSERA_SECRET must be at least 32 characters long.',
      '--log-level is "loud" but must be debug, info, warn or error.',
      'TESSERA_ADMIN_USERNAME requires TESSERA_ADMIN_PASSWORD as well.',
    ])
  })

  test.each([
    ['TESSERA_PORT', ['65536', '-1', '8.5', ' 80', '0x50', '1e3']],
    ['TESSERA_HOST', ['a b', 'http://x', '[::1]', '-x']],
    [
      'TESSERA_PUBLIC_URL',
      ['qr.example.org', 'ftp://x', 'https://x/path', 'https://x?', 'https://u@x', 'https://x#y', 'https://'],
    ],
    ['TESSERA_SHORT_URL', ['go.example.org', 'ftp://x', 'https://x?', 'https://x/#y', 'https://u:p@x', 'https://']],
    ['TESSERA_DATABASE_URL', ['mysql://h/d', 'postgres://h', 'sqlite.db', 'postgres:h']],
    ['TESSERA_TRUSTED_PROXIES', ['10.0.0.0/33', 'proxy', '10.0.0.1;10.0.0.2', ',']],
    [
      'TESSERA_CORS_ORIGINS',
      ['*', 'null', 'https://*.example.org', 'https://x/path', 'https://x, app.example.org', ','],
    ],
    ['TESSERA_STORAGE_URL', ['https://k:s@h/bucket', 's3://h/bucket', 's3://k:s@h']],
    ['TESSERA_SMTP_URL', ['mail.example.org', 'smtp://u@h', 'smtp://u:p@relay.lan?tls=off']],
    ['TESSERA_MAIL_FROM', ['Tessera', 'a@b, c@d']],
    ['TESSERA_SMS_URL', ['log', 'https://h/no-secret', 'aliyun://K:S@h?sign=a']],
    ['TESSERA_ONECLICK_URL', ['log:', 'aliyun://h']],
    ['TESSERA_GEOIP_FILE', ['a,,b', ',']],
    ['TESSERA_LOG_FORMAT', ['xml']],
    [
      'TESSERA_OTLP_URL',
      ['localhost:4318', 'ftp://h', 'http://u:p@h', 'http://h?', 'http://h/x?key=1', 'http://h#x', 'http://'],
    ],
    ['TESSERA_RATE_LIMIT', ['maybe', '1']],
  ])('%s accepts none of %j', (name, texts) => {
    for (const text of texts) {
      const { problems } = read({ [name]: text })
      expect(problems, text).toHaveLength(1)
      expect(problems[0]).toStartWith(name)
    }
  })

  test('the report of a mistake does not contain the secret', () => {
    const { problems } = read({ TESSERA_SECRET: 'hunter2', TESSERA_DATABASE_URL: 'postgres:hunter2' })
    expect(problems).toHaveLength(2)
    expect(problems.join()).not.toContain('hunter2')
  })

  test('a secret that is set twice is a mistake, and so is a file that is missing, empty or a folder', () => {
    expect(read({ TESSERA_SECRET: 'x'.repeat(32), TESSERA_SECRET_FILE: 'a' }).problems).toEqual([
      'TESSERA_SECRET and TESSERA_SECRET_FILE are both set: set only one of them.',
    ])
    expect(read({ TESSERA_SECRET_FILE: 'missing' }).problems[0]).toEndWith('cannot be read: there is no such file.')
    expect(read({ TESSERA_SECRET_FILE: '.' }).problems[0]).toEndWith('cannot be read: it is a directory.')
    expect(read({ TESSERA_SECRET_FILE: file('empty', '\n') }).problems[0]).toEndWith('which is empty.')
    expect(read({ TESSERA_HOST_FILE: 'x' }).problems).toHaveLength(1)
  })

  test('a configuration file that is not TOML, contains tables, or is missing is a mistake', () => {
    file('tessera.toml', 'port = = 1')
    expect(read().problems[0]).toContain('is not valid TOML')
    file('tessera.toml', '[server]\nport = 1\n')
    expect(read().problems).toEqual(['server in tessera.toml is not a setting.'])
    file('tessera.toml', '[port]\nx = 1\n')
    expect(read().problems).toHaveLength(1)
    expect(read({}, {}, 'other.toml').problems[0]).toContain('cannot be read: there is no such file')
  })
})

test('secrets are masked when the configuration is shown', () => {
  const { config } = read({
    TESSERA_DATABASE_URL: 'postgres://ann:hunter2@db.example/t?sslmode=require&sslpassword=hunter2',
    TESSERA_SECRET: 'hunter2'.repeat(5),
    TESSERA_ADMIN_USERNAME: 'root',
    TESSERA_ADMIN_PASSWORD: 'hunter2',
    TESSERA_STORAGE_URL: 's3://KEY:hunter2@s3.example.org/bucket?region=x',
    TESSERA_SMTP_URL: 'smtps://ann:hunter2@mail.example.org',
    TESSERA_SMS_URL: 'https://:hunter2@hooks.example.org/hunter2?token=hunter2',
    TESSERA_ONECLICK_URL: 'aliyun://KEY:hunter2@dypnsapi.aliyuncs.com',
    TESSERA_OTLP_URL: 'https://otel.example.org',
    TESSERA_OTLP_HEADERS: 'authorization=hunter2',
  })
  const text = settings.map((setting) => maskedValue(setting, config[setting.key])).join('\n')
  expect(text).not.toContain('hunter2')
  expect(text).toContain('postgres://ann:***@db.example/t?sslmode=require')
  expect(text).toContain('s3://KEY:***@s3.example.org/bucket?region=x')
  expect(text).toContain('smtps://ann:***@mail.example.org')
  expect(text).toContain('https://***@hooks.example.org/…')
})

describe('the address of the bucket', () => {
  const good = {
    key: 'K',
    secret: 'a/b+c=',
    endpoint: 'https://s3.example.org:9000',
    publicEndpoint: 'https://s3.example.org:9000',
    virtual: false,
    bucket: 'files',
    prefix: '',
    region: 'us-east-1',
  }

  test.each<[query: string, changed: object]>([
    ['', {}],
    ['/', {}],
    ['?region=eu-west-1&style=path&tls=on', { region: 'eu-west-1' }],
    ['/tessera/a.b?region=', { prefix: 'tessera/a.b/' }],
    ['?public=https://files.example.org/', { publicEndpoint: 'https://files.example.org' }],
    [
      '?style=virtual&public=https://files.example.org',
      {
        virtual: true,
        endpoint: 'https://files.s3.example.org:9000',
        publicEndpoint: 'https://files.files.example.org',
      },
    ],
  ])('s3://…/files%s is accepted', (rest, changed) => {
    expect(readStorageUrl(`s3://K:a%2Fb+c%3D@s3.example.org:9000/files${rest}`)).toEqual({ ...good, ...changed })
  })

  test.each(['127.0.0.1:9000', 'localhost', '[::1]:9000', 'minio', '10.0.0.7', 'files.internal'])(
    'tls=off is accepted for %s',
    (host) => {
      expect(readStorageUrl(`s3://K:S@${host}/files?tls=off`)).toMatchObject({ endpoint: `http://${host}` })
    },
  )

  test.each([
    ['https://K:hunter2@h/files', 'does not begin with s3://'],
    ['s3://K:hunt/er2@h/files', 'percent-encoded'],
    ['s3://K:1/hunter2@h/files', 'percent-encoded'],
    ['s3://K@h/files', 'the key or the secret is missing'],
    ['s3://K:%zz@h/files', 'the key or the secret is missing'],
    ['s3://K:hunter2@/files', 'percent-encoded'],
    ['s3://K:hunter2@h', 'the bucket is missing'],
    ['s3://K:hunter2@h/', 'the bucket is missing'],
    ['s3://K:hunter2@h/Files', 'the name of the bucket is not valid'],
    ['s3://K:hunter2@h/ab', 'the name of the bucket is not valid'],
    ['s3://K:p@h/hunter2@h/files', 'the name of the bucket is not valid'],
    ['s3://K:hunter2@h/files/a b', 'a prefix contains only'],
    ['s3://K:hunter2@h/files/.x', 'a prefix contains only'],
    ['s3://K:hunter2@h/files?regoin=x', 'its parameters are region, style, tls, public'],
    ['s3://K:hunter2@h/files?region=x&region=y', 'each at most once'],
    ['s3://K:hunter2@h/files?region=a/b', 'the region is not valid'],
    ['s3://K:hunter2@h/files?style=auto', 'style is neither path nor virtual'],
    ['s3://K:hunter2@h/files?tls=no', 'tls is neither on nor off'],
    ['s3://K:hunter2@s3.example.org/files?tls=off', 'only for this machine and private networks'],
    ['s3://K:hunter2@10.0.0.1/files?style=virtual', 'needs a host name'],
    ['s3://K:hunter2@h/my.files?style=virtual', 'without dots'],
    ['s3://K:hunter2@h/files?public=files.example.org', 'public is not an address'],
    ['s3://K:hunter2@h/files?public=https://h/path', 'public is not an address'],
    ['s3://K:hunter2@h/files#x', 'percent-encoded'],
  ])('%s is refused with the reason, without the secret', (text, reason) => {
    const { problems } = read({ TESSERA_STORAGE_URL: text })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith('TESSERA_STORAGE_URL must be the complete address of a bucket, such as ')
    expect(problems[0]).toContain(reason)
    expect(problems[0]).not.toContain('hunter2')
  })

  test('a session token in the environment is refused, because every request would contain it', () => {
    const env = { TESSERA_STORAGE_URL: 's3://K:S@h/files', AWS_SESSION_TOKEN: 'x' }
    expect(read(env).problems).toEqual([
      'TESSERA_STORAGE_URL cannot be used together with AWS_SESSION_TOKEN: unset AWS_SESSION_TOKEN.',
    ])
    expect(read({ AWS_SESSION_TOKEN: 'x' }).problems).toEqual([])
  })
})

test('answers are checked only in tests and development', () => {
  expect(read({ NODE_ENV: 'test' }).config.checkAnswers).toBe(true)
  expect(read({ NODE_ENV: 'development' }).config.checkAnswers).toBe(true)
  expect(read({ NODE_ENV: 'production' }).config.checkAnswers).toBe(false)
})
