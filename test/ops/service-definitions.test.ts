/** The files and commands of services, for all systems. */

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { linux, unitOf } from '#cli/service/linux.ts'
import { freeId, macos, plistOf } from '#cli/service/macos.ts'
import { hasNews, readSettings, settingsFile } from '#cli/service/settings-file.ts'
import { printed } from '#cli/service/steps.ts'
import { type Installation, readMark, type Service, type ServiceSystem } from '#cli/service/system.ts'
import { scriptOf, taskOf, windows } from '#cli/service/windows.ts'
import { readConfig } from '#config/read.ts'

const fixtures = join(import.meta.dir, '../fixtures/service')

const serviceOn = (system: ServiceSystem, changes: Partial<Service> = {}): Service => ({
  name: 'tessera',
  madeUser: true,
  lowPort: false,
  folders: [],
  files: [],
  ...system.defaults('tessera'),
  ...changes,
})

const INSTALLATION: Installation = {
  from: '/media/stick/tessera',
  makeUser: true,
  isReplaced: false,
  makeFolders: [],
  settings: { text: 'port = 80\nsecret = "hush"\n', shown: 'port = 80\nsecret = "***"\n' },
}

/** The path of a program, or undefined with the reason, which is an error if CI is set. */
function tool(name: string): string | undefined {
  const path = Bun.which(name) ?? undefined
  if (path === undefined && process.env['CI']) throw new Error(`There is no ${name}.`)
  if (path === undefined) console.warn(`Tests with ${name} are skipped, because it is not installed.`)
  return path
}

describe('Linux', () => {
  test('docs/operations.md shows the unit that the command writes', async () => {
    const text = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text()
    expect(text).toContain(`\`\`\`ini\n${unitOf(serviceOn(linux))}\`\`\``)
  })

  const analyze = tool('systemd-analyze')
  test.skipIf(analyze === undefined).each([
    ['the usual unit', {}],
    ['the unit with a port below 1024', { lowPort: true }],
    ['the unit with a data directory elsewhere', { dataDir: '/srv/tessera', folders: ['/mnt/backups'] }],
  ] as const)('systemd accepts %s, and its exposure level is at most 3.0', (_name, changes) => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-unit-'))
    try {
      const path = join(folder, 'tessera.service')
      // The program must exist, and the user too.
      writeFileSync(path, unitOf(serviceOn(linux, { ...changes, program: process.execPath, user: 'daemon' })))
      const run = (...args: string[]): string => {
        const { exitCode, stdout, stderr } = Bun.spawnSync([analyze!, ...args, path])
        expect(exitCode, `${stdout.toString()}${stderr.toString()}`).toBe(0)
        return stderr.toString()
      }
      expect(run('verify', '--recursive-errors=no')).not.toContain(path)
      run('security', '--offline=true', '--threshold=30', '--no-pager')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('only a port below 1024 gives the service a capability', () => {
    expect(unitOf(serviceOn(linux))).toContain('\nCapabilityBoundingSet=\nAmbientCapabilities=\n')
    const low = unitOf(serviceOn(linux, { lowPort: true }))
    expect(low).toContain('\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n')
  })

  test.each([
    [{ dataDir: '/home/ann/data' }, '/home'],
    [{ dataDir: '/root' }, '/root'],
    [{ folders: ['/tmp/backups'] }, '/tmp'],
    [{ files: ['/root/key.pem'] }, '/root'],
    [{ dataDir: '/srv/my data' }, '/srv/my data'],
    [{ dataDir: '/srv/100%' }, '/srv/100%'],
    [{ folders: ['/srv/a\nExecStartPre=/bin/sh'] }, 'ExecStartPre'],
  ])('a service with %j is refused', (changes, named) => {
    expect(linux.mistake(serviceOn(linux, changes))).toContain(named)
  })

  test.each([{}, { dataDir: '/srv/höfe/tessera-1' }, { dataDir: '/homes/x' }])(
    'a service with %j is accepted',
    (changes) => {
      expect(linux.mistake(serviceOn(linux, changes))).toBeUndefined()
    },
  )
})

describe('macOS and Windows', () => {
  test.each([
    ['macos', macos],
    ['windows', windows],
  ] as const)('the files and commands of %s are those of the fixture', async (name, system) => {
    const service = serviceOn(system)
    const shown = [
      ['install', system.install(service, INSTALLATION)],
      ['restart', system.restart(service)],
      ['uninstall', system.uninstall(service)],
    ] as const
    const text = shown.map(([action, steps]) => `# ${action}\n${printed(steps)}\n`).join('\n')
    expect(text).not.toContain('hush')
    expect(text.replaceAll('\r\n', '\n')).toBe(await Bun.file(join(fixtures, `${name}.txt`)).text())
  })

  const python = tool('python3')
  test.skipIf(python === undefined)(
    'a reader of property lists finds the paths of the daemon, with special signs',
    () => {
      const dataDir = '/Users/Shared/<A & B>/--x'
      const plist = plistOf(serviceOn(macos, { dataDir }))
      const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
      const { stdout, stderr } = Bun.spawnSync([python!, '-c', script], { stdin: new TextEncoder().encode(plist) })
      expect(stderr.toString()).toBe('')
      expect(JSON.parse(stdout.toString())).toEqual({
        Label: 'local.tessera',
        ProgramArguments: ['/usr/local/bin/tessera', 'serve', '--config', `${dataDir}/tessera.toml`],
        UserName: '_tessera',
        WorkingDirectory: dataDir,
        RunAtLoad: true,
        KeepAlive: { SuccessfulExit: false },
        ThrottleInterval: 2,
        ExitTimeOut: 20,
        Umask: 0o077,
        SoftResourceLimits: { NumberOfFiles: 65_536 },
        HardResourceLimits: { NumberOfFiles: 65_536 },
        StandardOutPath: `${dataDir}/service.log`,
        StandardErrorPath: `${dataDir}/service.log`,
      })
      expect(readMark(plist)).toEqual({ dataDir, user: '_tessera', madeUser: true })
    },
  )

  test('a new user of macOS gets the first free id of a service', () => {
    expect(freeId('_a    300\nann   501\n_b   302\nnobody  -2\n')).toBe('301')
    expect(freeId('')).toBe('300')
    expect(freeId(Array.from({ length: 100 }, (_, i) => `u${i} ${300 + i}`).join('\n'))).toBeUndefined()
  })

  test('Windows reads paths with blanks, and refuses those that its shell would change', () => {
    const dataDir = String.raw`D:\Our data`
    const service = serviceOn(windows, { dataDir })
    expect(windows.mistake(service)).toBeUndefined()
    expect(scriptOf(service)).toContain(
      String.raw`serve --config "D:\Our data\tessera.toml" >>"D:\Our data\service.log" 2>&1`,
    )
    expect(readMark(scriptOf(service))).toEqual({ dataDir, user: 'S-1-5-19', madeUser: true })
    expect(taskOf(service)).toContain(
      String.raw`<Arguments>/d /c &quot;C:\Program Files\Tessera\tessera.cmd&quot;</Arguments>`,
    )
    for (const bad of [String.raw`D:\100%`, String.raw`D:\a&b`, 'D:\\a"b'])
      expect(windows.mistake(serviceOn(windows, { dataDir: bad }))).toContain(bad)
    expect(windows.mistake(serviceOn(windows, { user: 'ann' }))).toContain('--user')
  })
})

test('a definition that another program wrote has no mark', () => {
  expect(readMark('[Unit]\nDescription=Tessera\n')).toBeUndefined()
})

test('settings of the command are added to those of a file that is there, whose relative paths start at the data directory', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-settings-'))
  // The environment is a source too, and names the database of the tests.
  const database = process.env['TESSERA_DATABASE_URL']
  delete process.env['TESSERA_DATABASE_URL']
  try {
    const file = join(dataDir, 'tessera.toml')
    writeFileSync(
      file,
      'port = 81\nbackup_dir = "copies"\ntrusted_proxies = ["10.0.0.0/8", "fd00::/8"]\nrate_limit = false\ngeoip_file = []\n',
    )
    const read = (options: Record<string, string>) =>
      readSettings(
        {
          options: new Map(Object.entries(options)),
          words: [],
          reading: undefined as never,
          config: () => undefined as never,
          changes: () => undefined as never,
        },
        file,
        dataDir,
      )
    expect(hasNews(read({}), file)).toBe(false)
    const secret = 'a "secret" with \\ signs and a line\nbreak, \u007F and 秘密'
    const reading = read({
      port: '82',
      'smtp-url': 'smtps://ann:hush@mail.example.org',
      'mail-from': 'a@b.example',
      secret,
    })
    expect(hasNews(reading, file)).toBe(true)
    const { text, shown } = settingsFile(reading, dataDir, { log_level: 'warn' })
    expect(shown).not.toMatch(/hush|秘密/)
    writeFileSync(file, text)
    const again = readConfig({ flags: new Map(), env: {}, directory: '/', configFile: file, terminal: false })
    expect(again.problems).toEqual([])
    expect(again.config).toMatchObject({
      port: 82,
      backupDir: join(dataDir, 'copies'),
      trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
      rateLimit: false,
      geoipFile: [],
      smtpUrl: 'smtps://ann:hush@mail.example.org',
      secret,
      logLevel: 'warn',
      dataDir,
    })
  } finally {
    if (database !== undefined) process.env['TESSERA_DATABASE_URL'] = database
    rmSync(dataDir, { recursive: true })
  }
})
