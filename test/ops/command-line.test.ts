import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseArgs } from '#cli/args.ts'
import { verbs } from '#cli/verbs.ts'
import { nearest } from '#lib/nearest.ts'

import { Installation } from './cli.ts'

let place: Installation
beforeAll(() => {
  place = new Installation()
})
afterAll(() => place.dispose())

describe('help', () => {
  test('help lists every command and the exit codes', async () => {
    for (const args of [['help'], ['--help'], ['-h']]) {
      const { code, stdout, stderr } = await place.run(args)
      expect(code).toBe(0)
      expect(stderr).toBe('')
      for (const { name } of verbs) expect(stdout).toContain(`\n  ${name} `)
      expect(stdout).toContain('Exit codes: 0 done')
    }
  })

  test.each(verbs.map(({ name }) => name))(
    '%s --help prints the help of the command and does nothing else',
    async (name) => {
      const asked = await place.run([name, '--help'])
      expect(asked.code).toBe(0)
      expect(asked.stdout).toContain(`Usage: tessera ${name}`)
      expect((await place.run(['help', name])).stdout).toBe(asked.stdout)
      expect(asked.stdout.split('\n').every((line) => line.length <= 130)).toBe(true)
      expect(existsSync(place.dataDir)).toBe(false)
    },
  )
})

test('the command version and the flags --version and -v print the version', async () => {
  for (const args of [['version'], ['--version'], ['-v']])
    expect((await place.run(args)).stdout).toMatch(/^tessera \d+\.\d+\.\d+ \(\S+, bun \d+\.\d+\.\d+, \S+\)\n$/)
  expect(JSON.parse((await place.run(['version', '--json'])).stdout)).toMatchObject({ bun: Bun.version })
})

describe('a wrong command line', () => {
  test.each([
    [['serv'], 'serv is not a command; did you mean serve?'],
    [['xyzzy'], 'xyzzy is not a command.'],
    [['serve', '--prot', '80'], '--prot is not an option; did you mean --port?'],
    [['serve', '-p', '80'], '-p is not an option'],
    [['serve', '--port'], '--port needs a value'],
    [['serve', '--port=1', '--port=2'], '--port is set twice.'],
    [['serve', 'now'], '"now" is not expected here.'],
    [['backup', '--gzip=yes'], '--gzip takes no value.'],
    [['restore'], 'An argument is missing'],
    [['restore', 'missing.tar.zst'], 'There is no file'],
    [['admin'], 'An argument is missing'],
    [['admin', 'creat', 'x'], 'did you mean create?'],
    [['admin', 'create'], 'The user name is missing'],
    [['admin', 'create', 'x'], '--password-file'],
    [['help', 'serv'], 'did you mean serve?'],
    [['serve', '--config', 'missing.toml'], 'there is no such file'],
  ])('the arguments %j exit with 2, print "%s" and do nothing', async (args, sentence) => {
    const { code, stdout, stderr } = await place.run(args)
    expect(stderr).toContain(sentence)
    expect(stderr).not.toContain('    at ')
    expect(stdout).toBe('')
    expect(code).toBe(2)
    expect(existsSync(place.dataDir)).toBe(false)
  })

  test('serve reports all mistakes of the configuration at once', async () => {
    writeFileSync(join(place.cwd, 'bad.toml'), 'host = "no host"\nnonsense = true\n')
    const env = { TESSERA_PROT: '1', TESSERA_SECRET: 'short', TESSERA_ADMIN_USERNAME: 'root' }
    const { code, stdout, stderr } = await place.run(['serve', '--config', 'bad.toml', '--log-level', 'loud'], { env })
    expect(stderr.trimEnd().split('\n')).toHaveLength(6)
    for (const name of [
      'host in bad.toml',
      'nonsense in bad.toml',
      'TESSERA_PROT',
      'TESSERA_SECRET',
      'TESSERA_ADMIN_USERNAME',
      '--log-level',
    ])
      expect(stderr).toContain(name)
    expect(stderr).not.toContain('short')
    expect(stdout).toBe('')
    expect(code).toBe(2)
    expect(existsSync(place.dataDir)).toBe(false)
  })
})

describe('check-config', () => {
  test('check-config prints values and their sources and masks secrets', async () => {
    writeFileSync(join(place.cwd, 'good.toml'), 'port = 81\ntrusted_proxies = ["10.0.0.0/8"]\n')
    const secret = 'very secret '.repeat(4)
    const env = { TESSERA_SECRET: secret, TESSERA_DATABASE_URL: 'postgres://ann:hunter2@db/t', TESSERA_PORT: '' }
    const { code, stdout } = await place.run(['check-config', '--config', 'good.toml', '--host', '::'], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/TESSERA_PORT +81 +port in good\.toml/)
    expect(stdout).toMatch(/TESSERA_HOST +:: +--host/)
    expect(stdout).toMatch(/TESSERA_SECRET +\*\*\* +TESSERA_SECRET/)
    expect(stdout).toContain('postgres://ann:***@db/t')
    expect(stdout).not.toContain('hunter2')
    expect(stdout).not.toContain('very secret')
    expect(existsSync(place.dataDir)).toBe(false)
  })

  test('check-config --json contains the mistakes', async () => {
    const { code, stdout } = await place.run(['check-config', '--json'], { env: { TESSERA_PORT: 'x' } })
    expect(code).toBe(2)
    expect(JSON.parse(stdout).problems).toEqual(['TESSERA_PORT is "x" but must be a whole number from 0 to 65535.'])
  })
})

test('the commands above have written no file to the working directory', () => {
  expect(readdirSync(place.cwd).toSorted()).toEqual(['bad.toml', 'good.toml'])
})

describe('splitting a command line', () => {
  const options = [
    { name: 'out', value: 'FILE', help: '' },
    { name: 'fast', help: '' },
  ]
  test.each([
    [['a', '--out', 'x', '--fast', 'b'], { out: 'x', fast: '' }, ['a', 'b']],
    [['--out=x=y'], { out: 'x=y' }, []],
    [['--out='], { out: '' }, []],
    [['--out', '--fast'], { out: '--fast' }, []],
    [['--', '--fast', '-'], {}, ['--fast', '-']],
    [['-'], {}, ['-']],
  ])('the arguments %j are split into options and words', (argv, expected, words) => {
    const parsed = parseArgs(argv, options)
    expect(Object.fromEntries(parsed.options)).toEqual(expected)
    expect(parsed.words).toEqual(words)
    expect(parsed.problems).toEqual([])
  })
})

test.each([
  ['TESSERA_PROT', 'TESSERA_PORT'],
  ['TESSERA_DATADIR', 'TESSERA_DATA_DIR'],
  ['ENTIRELY_DIFFERENT', undefined],
  ['', undefined],
])('the known name nearest to %s is %p', (name, near) => {
  expect(nearest(name, ['TESSERA_PORT', 'TESSERA_HOST', 'TESSERA_DATA_DIR'])).toBe(near as never)
})
