/** Reads the configuration: flag > environment > `tessera.toml` > default. Reports all mistakes, not only the first. */

import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

import { didYouMean } from '#lib/nearest.ts'

import {
  type Config,
  defaultConfig,
  DOMAIN_HTTP_PORT,
  DOMAIN_PORT,
  hasTls,
  isShared,
  LAN_PORT,
  MIN_SHARED_CONNECTIONS,
} from './config.ts'
import { isPrivateIp, isPrivateName, networkHost, thisMachine } from './machine.ts'
import { allAddresses, LOOPBACK, modeOf, originOf } from './reach.ts'
import { envName, flagName, type Setting, type SettingKey, settings, tomlName } from './settings.ts'

export interface Sources {
  /** Values of `--name value` flags, by name without dashes. */
  flags: ReadonlyMap<string, string>
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>
  /** The working directory. Relative paths are resolved against it, and it may contain `tessera.toml`. */
  directory: string
  /** The value of `--config`. The file must exist. */
  configFile?: string
  /** The start of relative paths in the file, if not `directory`. */
  configDirectory?: string
  /** Whether the log is written to a terminal. */
  terminal: boolean
}

type Complete = Sources & Required<Pick<Sources, 'env'>>

export interface Reading {
  readonly config: Config
  /** The source of each value: `--port`, `TESSERA_PORT`, `port in tessera.toml`. Defaults have none. */
  readonly origins: ReadonlyMap<SettingKey, string>
  /** The `tessera.toml` that was read. */
  readonly file: string | undefined
  /** One sentence for each mistake. `config` is valid only if there are none. */
  readonly problems: readonly string[]
}

export class ConfigError extends Error {
  override name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

interface Given {
  origin: string
  text: string
  /** The start of relative paths. */
  directory: string
}

export function readConfig(given: Sources): Reading {
  const sources = { ...given, env: given.env ?? process.env }
  const problems: string[] = []
  const file = configFile(sources)
  const toml = file === undefined ? {} : readToml(file, problems)
  const label = file === undefined ? '' : ` in ${sources.configFile ?? 'tessera.toml'}`
  findUnknown(sources, toml, label, problems)

  const layers: ((setting: Setting) => Given | undefined)[] = [
    ({ key, secret, isSwitch }) => {
      const get = (name: string) => (isSwitch && sources.flags.has(name) ? 'on' : sources.flags.get(name))
      return pick(get, flagName(key), '-file', '--', '', secret)
    },
    ({ key, secret }) => pick((name) => sources.env[name] || undefined, envName(key), '_FILE', '', '', secret),
    ({ key, secret }) =>
      pick((name) => tomlText(toml[name]), tomlName(key), '_file', '', label, secret, sources.configDirectory),
  ]

  function pick(
    get: (name: string) => string | undefined,
    name: string,
    suffix: string,
    before: string,
    after: string,
    secret?: true,
    directory: string = sources.directory,
  ): Given | undefined {
    const own = get(name)
    const path = secret ? get(name + suffix) : undefined
    const origin = `${before}${name}${after}`
    const fileOrigin = `${before}${name}${suffix}${after}`
    if (own !== undefined && path !== undefined)
      problems.push(`${origin} and ${fileOrigin} are both set: set only one of them.`)
    if (own !== undefined) return { origin, text: own, directory }
    const text = path === undefined ? undefined : readSecret(fileOrigin, resolve(directory, path), problems)
    return text === undefined ? undefined : { origin: fileOrigin, text, directory }
  }

  const values: Partial<Record<SettingKey, unknown>> = {}
  const origins = new Map<SettingKey, string>()
  for (const setting of settings) {
    const given = layers.reduce<Given | undefined>((found, layer) => found ?? layer(setting), undefined)
    if (given === undefined || given.text === '') continue
    const value = setting.parse(given.text, given.directory)
    origins.set(setting.key, given.origin)
    if (value !== undefined) values[setting.key] = value
    else {
      const is = setting.secret ? '' : ` is ${JSON.stringify(given.text)} but`
      const mistake = setting.mistake ? `: ${setting.mistake(given.text)}` : ''
      problems.push(`${given.origin}${is} must be ${setting.accepts}${mistake}.`)
    }
  }
  return { config: complete(values as Partial<Config>, sources, origins, problems), origins, file, problems }
}

/** Settings that need another one. */
const TOGETHER = [
  ['tlsCert', 'tlsKey'],
  ['tlsKey', 'tlsCert'],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[]

/** Ways to HTTPS. */
const HTTPS = ['tlsCert', 'domain', 'lan'] as const satisfies readonly SettingKey[]

const localUrl = (scheme: 'http' | 'https', port: number): string => originOf(scheme, 'localhost', port)

const S3_SESSION_TOKENS = ['AWS_SESSION_TOKEN', 'S3_SESSION_TOKEN']

function complete(values: Partial<Config>, sources: Complete, origins: Reading['origins'], problems: string[]): Config {
  const given = {
    ...(values.domain && domainDefaults(values.domain, values.port)),
    ...(values.lan && lanDefaults(values.port)),
    ...values,
  }
  const port = given.port ?? defaultConfig.port
  const named = origins.get('adminUsername')
  const secret = origins.get('adminPassword')
  if (named && !secret) problems.push(`${named} requires ${envName('adminPassword')} as well.`)
  if (secret && !named) problems.push(`${secret} requires ${envName('adminUsername')} as well.`)
  if (values.smtpUrl && !origins.has('mailFrom'))
    problems.push(`${origins.get('smtpUrl')!} requires ${envName('mailFrom')} as well.`)
  for (const key of ['otlpHeaders', 'traceRatio'] as const)
    if (origins.has(key) && !values.otlpUrl)
      problems.push(`${origins.get(key)!} requires ${envName('otlpUrl')} as well.`)
  const [shared, storage] = [origins.get('sharedFiles'), origins.get('storageUrl')]
  if (shared) {
    // Each process would have other keys and print other addresses.
    for (const key of ['databaseUrl', 'secret', 'publicUrl'] as const)
      if (!origins.has(key)) problems.push(`${shared} requires ${envName(key)} as well.`)
    if (storage) problems.push(`${shared} cannot be used together with ${storage}.`)
  }
  for (const [key, other] of TOGETHER)
    if (origins.has(key) && !origins.has(other))
      problems.push(`${origins.get(key)!} requires ${envName(other)} as well.`)
  findHttpsProblems(given, origins, problems)
  const connections = origins.get('databaseConnections')
  for (const key of ['databaseDirectUrl', 'databaseReadUrl', 'databaseConnections'] as const)
    if (origins.has(key) && !values.databaseUrl)
      problems.push(`${origins.get(key)!} requires ${envName('databaseUrl')} as well.`)
  if (connections && isShared({ ...defaultConfig, ...values }) && values.databaseConnections! < MIN_SHARED_CONNECTIONS)
    problems.push(
      `${connections} must be at least ${MIN_SHARED_CONNECTIONS} if several processes can serve the database (${storage ?? shared!}).`,
    )
  // Bun's S3 client adds it to every request, and has no option against that.
  const token = S3_SESSION_TOKENS.find((name) => sources.env[name])
  if (storage && token) problems.push(`${storage} cannot be used together with ${token}: unset ${token}.`)
  const config: Config = {
    ...defaultConfig,
    dataDir: resolve(sources.directory, 'data'),
    port,
    ...(values.lan ? lanDefaults(port) : { publicUrl: localUrl(values.tlsCert ? 'https' : 'http', port) }),
    logFormat: sources.terminal ? 'text' : 'json',
    checkAnswers: !Bun.isStandaloneExecutable && ['test', 'development'].includes(sources.env['NODE_ENV'] ?? ''),
    ...given,
  }
  return Object.freeze({ ...config, mode: modeOf(config) })
}

/** With TESSERA_DOMAIN the server is for the internet. The port beside lets the administrator in while there is no certificate. */
const domainDefaults = ([first]: readonly string[], port = DOMAIN_PORT): Partial<Config> => ({
  host: allAddresses(thisMachine()),
  port,
  httpPort: DOMAIN_HTTP_PORT,
  publicUrl: originOf('https', first!, port),
  // Port 0 for HTTPS, as in tests, means any port for this one, too.
  beside: { host: LOOPBACK, port: port === 0 ? 0 : defaultConfig.port, orAny: true },
})

/** All addresses, and the address in the network as the public one. */
const lanDefaults = (port = LAN_PORT): Partial<Config> => ({
  host: allAddresses(thisMachine()),
  port,
  publicUrl: originOf('https', networkHost(thisMachine()), port),
})

function findHttpsProblems(given: Partial<Config>, origins: Reading['origins'], problems: string[]): void {
  const { domain = [], httpPort } = given
  const ways = HTTPS.filter((key) => origins.has(key) && given[key] !== false)
  if (ways.length > 1) problems.push(`${ways.map((key) => origins.get(key)!).join(' and ')} cannot be used together.`)
  if (origins.has('httpPort') && !hasTls({ ...defaultConfig, ...given }))
    problems.push(`${origins.get('httpPort')!} requires ${HTTPS.map(envName).join(' or ')} as well.`)
  if (httpPort && httpPort === (given.port ?? defaultConfig.port))
    problems.push(
      `${origins.get('httpPort') ?? 'The port for plain HTTP'} and the port for HTTPS are both ${httpPort}: choose another one.`,
    )
  if (given.lan) findLanProblem(given, origins, problems)
  if (domain.length > 0) findDomainProblems(domain, given, origins, problems)
}

function findLanProblem({ publicUrl = '' }: Partial<Config>, origins: Reading['origins'], problems: string[]): void {
  const { protocol, hostname } = new URL(publicUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:' || !(isPrivateIp(host) || isPrivateName(host)))
    problems.push(
      `${origins.get('publicUrl')!} is ${JSON.stringify(publicUrl)} but must be https:// with a name or an address of a private network, because of ${origins.get('lan')!}.`,
    )
}

function findDomainProblems(
  domain: readonly string[],
  { httpPort, acmeDnsCommand, publicUrl = '' }: Partial<Config>,
  origins: Reading['origins'],
  problems: string[],
): void {
  const needsCommand = [
    ...(httpPort === null ? [`${origins.get('httpPort')!}=off`] : []),
    ...domain.filter((name) => name.startsWith('*')).map((name) => `The name ${name}`),
  ]
  if (!acmeDnsCommand)
    for (const what of needsCommand) problems.push(`${what} requires ${envName('acmeDnsCommand')} as well.`)
  const { protocol, hostname } = new URL(publicUrl)
  const isCovered = domain.includes(hostname) || domain.includes(hostname.replace(/^[^.]+/, '*'))
  if (protocol !== 'https:' || !isCovered)
    problems.push(
      `${origins.get('publicUrl')!} is ${JSON.stringify(publicUrl)} but must be https:// with a name of ${origins.get('domain')!}.`,
    )
}

function configFile({ configFile: named, directory }: Sources): string | undefined {
  if (named !== undefined) return resolve(directory, named)
  const path = resolve(directory, 'tessera.toml')
  return statSync(path, { throwIfNoEntry: false }) ? path : undefined
}

function readToml(path: string, problems: string[]): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(`The configuration file ${path} cannot be read: ${reason(error)}.`)
    return {}
  }
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch (error) {
    problems.push(
      // Without the quotation from the file, which may be a part of a secret.
      `The configuration file ${path} is not valid TOML: ${(error as Error).message.replace(/^TOML Parse error: |: ".*"$/gs, '')}.`,
    )
    return {}
  }
}

/** A TOML value as the text of a flag. Tables and dates become JSON, which no setting accepts. */
function tomlText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',')
  return JSON.stringify(value)
}

function readSecret(origin: string, path: string, problems: string[]): string | undefined {
  try {
    // Editors add a newline at the end of a file.
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (text === '') problems.push(`${origin} names ${path}, which is empty.`)
    return text
  } catch (error) {
    problems.push(`${origin} names ${path}, which cannot be read: ${reason(error)}.`)
    return undefined
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'this user has no permission'
  return message
}

/** The names of all settings in one source, and those of secrets also with the suffix that names a file. */
const names = (of: (key: SettingKey) => string, suffix: string): string[] =>
  settings.flatMap(({ key, secret }) => (secret ? [of(key), of(key) + suffix] : [of(key)]))

export const flagNames = names(flagName, '-file')
const envNames = names(envName, '_FILE')
const tomlNames = names(tomlName, '_file')

/** Read by a command for another machine, which has no other settings. */
const PUBLISH_KEY = 'TESSERA_PUBLISH_KEY'

/** The publisher key of the environment; undefined if there is none. */
export const publishKeyOf = (env: Sources['env'] = process.env): string | undefined => env[PUBLISH_KEY] || undefined

const API_KEY = 'TESSERA_API_KEY'
const API_URL = 'TESSERA_API_URL'

/** The API key and the address of `tessera api`; undefined if there are none. */
export const apiKeyOfEnvironment = (env: Sources['env'] = process.env): string | undefined => env[API_KEY] || undefined
export const apiUrlOfEnvironment = (env: Sources['env'] = process.env): string | undefined => env[API_URL] || undefined

/** Variables of commands that work with other servers. */
const OF_CLIENTS: readonly string[] = [PUBLISH_KEY, API_KEY, API_URL]

/** The environment for programs of others. The settings of the server contain secrets. */
export const environmentWithoutSettings = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_')))

function findUnknown(sources: Complete, toml: Record<string, unknown>, label: string, problems: string[]): void {
  for (const name of Object.keys(sources.env))
    if (name.startsWith('TESSERA_') && !envNames.includes(name) && !OF_CLIENTS.includes(name))
      problems.push(`${name} is not a setting${didYouMean(name, envNames) || '.'}`)
  for (const name of Object.keys(toml))
    if (!tomlNames.includes(name))
      problems.push(`${name}${label} is not a setting${didYouMean(name, tomlNames) || '.'}`)
}
