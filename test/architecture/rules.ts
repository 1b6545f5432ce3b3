/** The layer rules of CONTRIBUTING.md as one function over source files, which returns a sentence for each breach. */

import { domainOf, type Exceptions, registers, tooSmall, wrongName, wrongPart } from './domain-rules.ts'
import { EXCEPTIONS } from './exceptions.ts'
import { findCycle, importGraph, importsOf, type SourceFile } from './imports.ts'

/** Layers from the bottom up: each may import itself and the layers before it. */
const LAYERS = [
  'lib',
  'config',
  'platform',
  'db',
  'permission-points',
  'context',
  'http',
  'domains',
  'app',
  'cli',
  'main',
]

/** The web application. It runs in browsers, so the rules for the server's layers and for time, randomness and environment do not apply to it. */
const WEB = 'src/web/'
/** Its layers from the bottom up. `areas/` and `admin/` have the pages of users and of administrators. */
const WEB_LAYERS = ['browser', 'i18n', 'api', 'session', 'ui', 'areas', 'admin', 'sign-in', 'shell', 'App', 'main']
/** Pure code of the server that also runs in browsers: the web application draws QR codes, reads their contents and warns of addresses with it. */
const SHARED: readonly string[] = [
  'src/lib/qr/index.ts',
  'src/lib/qr/design/index.ts',
  'src/lib/qr-contents/index.ts',
  'src/lib/reach.ts',
]

export const MAX_LINES = 500

/** Code that is allowed in some files only. `allowed` is matched against the path. */
const RESERVED: { breach: string; pattern: RegExp; allowed: RegExp }[] = [
  {
    breach: 'reads the environment',
    pattern: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b|\benv\b[^;\n]*from ["']node:process["']/,
    allowed: /^src\/config\//,
  },
  {
    // `performance.now()` is allowed everywhere: it measures durations and does not know the time of day.
    breach: 'asks for the time',
    pattern:
      /\bDate\.now\b|\bnew Date(?:\(\)|(?![\w(]))|(?<!new )\bDate\(\)|\bTemporal\.Now\b|\bperformance\.timeOrigin\b/,
    allowed: /^src\/platform\/clock\.ts$/,
  },
  {
    breach: 'asks for randomness',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|Int|UUID|UUIDv7|UUIDv5|Fill|FillSync)\b|\bgetRandomValues\b/,
    allowed: /^src\/platform\/ids\.ts$/,
  },
  {
    // Anyone can type another person's e-mail address, so a look-up by contact must see proved ones only.
    breach: 'reads identities: use userIdsByProvedContact, which leaves out those that are only claimed',
    pattern: /\bimport\s*\{[^}]*\bidentities\b[^}]*\}\s*from\s*["']#db\/schema\/accounts\.ts["']/,
    // Identities at providers are found by issuer and subject, which are always proved.
    allowed: /^src\/domains\/(?:accounts\/|oidc\/links\/links\.store\.ts$)/,
  },
  {
    breach: 'finds a user by an e-mail that may be only claimed: that is for the check of a password',
    pattern: /\buserForPasswordSignIn\b|\bfindByAccount\b/,
    allowed:
      /^src\/domains\/accounts\/(?:users\/users\.store|logins\/logins\.service|password-changes\/redeeming\.service)\.ts$/,
  },
  {
    breach: 'finds a user by an e-mail that may be only claimed: that is for codes that prove it',
    pattern: /\bholderForCodeSignIn\b/,
    allowed:
      /^src\/domains\/accounts\/(?:users\/users\.store|(?:logins\/logins|password-changes\/password-changes)\.service)\.ts$/,
  },
]

const PACKAGES: { name: string; pattern: RegExp; allowed: RegExp }[] = [
  { name: 'Elysia', pattern: /^(?:elysia|@elysiajs\/.*)$/, allowed: /^src\/http\// },
  { name: 'drizzle', pattern: /^drizzle-orm(?:\/|$)/, allowed: /^src\/(?:db\/|domains\/.+\.store\.ts$)/ },
]

/** Tables whose rows devices synchronize (`SYNC_ENTITIES`). */
const SYNCED = ['qrCodes', 'categories', 'scanRecords', 'albumPhotos', 'assets', 'assetCategories']
const DELETES_SYNCED = new RegExp(`\\.delete\\((${SYNCED.join('|')})\\)`)

/** A device keeps a row until it hears of its deletion, so the function that deletes one must also record that. */
function deletesSilently({ text }: SourceFile): string | undefined {
  // Declarations at the top level: each begins in the first column, and so does the bracket that ends it.
  for (const declaration of text.split(/^(?=[\w/])/m)) {
    const table = DELETES_SYNCED.exec(declaration)?.[1]
    if (table !== undefined && !declaration.includes('recordDeleted('))
      return `deletes ${table} without recordDeleted: devices that synchronize would keep the rows`
  }
  return undefined
}

const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' })

export function breaches(files: readonly SourceFile[], exceptions: Exceptions = EXCEPTIONS): string[] {
  const found: string[] = []
  const domainEdges = new Map<string, Set<string>>()
  for (const file of files) {
    const report = (breach: string) => found.push(`${file.path} ${breach}`)
    const lines = file.text.split('\n').length - 1
    if (lines > MAX_LINES && !file.path.endsWith('.gen.ts')) report(`has ${lines} lines, more than ${MAX_LINES}`)
    if (file.path.startsWith(WEB)) {
      for (const { target, typeOnly } of importsOf(file)) {
        if (!typeOnly && isServer(target))
          report(`imports ${target}, which belongs to the server: import its types only`)
        if (!(typeOnly && target.startsWith(`${WEB}api/`)) && isAboveInWebApp(file.path, target))
          report(`imports ${target}, which is above it`)
      }
      continue
    }
    for (const breach of [wrongName(file.path, exceptions), registers(file), deletesSilently(file)])
      if (breach !== undefined) report(breach)
    // The transpiler removes comments and types, in which these words are allowed.
    const code = file.path.endsWith('.d.ts') ? '' : transpiler.transformSync(file.text)
    if (/['"]\.\.\/\.\.\/\.\.\//.test(code))
      report('imports a path that begins with ../../../: use an alias of package.json')
    for (const { breach, pattern, allowed } of RESERVED)
      if (pattern.test(code) && !allowed.test(file.path)) report(breach)
    for (const imported of importsOf(file)) {
      const { target, typeOnly } = imported
      for (const { name, pattern, allowed } of PACKAGES)
        if (pattern.test(target) && !allowed.test(file.path)) report(`imports ${name} (${target})`)
      const wrong = wrongLayer(file.path, target, typeOnly) ?? wrongPart(file.path, imported, exceptions)
      if (wrong !== undefined) report(wrong)
      const [from, to] = [domainOf(file.path), domainOf(target)]
      if (to !== undefined && from !== to) {
        if (target !== `src/domains/${to}/index.ts`) report(`reaches into ${target}, past the domain's index.ts`)
        if (from !== undefined) domainEdges.set(from, (domainEdges.get(from) ?? new Set()).add(to))
      }
    }
  }
  const domains = findCycle(domainEdges)
  if (domains) found.push(`domains import each other in a cycle: ${domains.join(' → ')}`)
  const cycle = findCycle(importGraph(files))
  if (cycle) found.push(`files import each other in a cycle: ${cycle.join(' → ')}`)
  return [...found, ...tooSmall(files, exceptions)]
}

const isServer = (target: string): boolean =>
  (target.startsWith('src/') && !target.startsWith(WEB) && !SHARED.includes(target)) ||
  /^(?:migrations\/|node:|bun(?::|$))/.test(target)

/** Files of no layer, such as those of the cases in the tests, are above all others. */
const webAppLayerOf = (path: string): number => {
  const layer = WEB_LAYERS.indexOf(/^src\/web\/([^/.]+)/.exec(path)?.[1] ?? '')
  return layer === -1 ? WEB_LAYERS.length : layer
}
const isAboveInWebApp = (path: string, target: string): boolean =>
  target.startsWith(WEB) && webAppLayerOf(target) > webAppLayerOf(path)

const layerOf = (path: string): string | undefined => /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1]

function wrongLayer(path: string, target: string, typeOnly: boolean): string | undefined {
  const from = layerOf(path)
  if (from === undefined || !LAYERS.includes(from)) return `is in no known layer`
  if (target.startsWith(WEB)) return `imports ${target}: the web application is built apart from the server`
  const to = layerOf(target)
  if (to === undefined) return undefined
  if (!LAYERS.includes(to)) return `imports ${target}, which is in no known layer`
  if (from === 'http' && to === 'db' && !typeOnly && target !== 'src/db/errors.ts')
    return `imports ${target}: http/ may know the types and errors of db/ only`
  return LAYERS.indexOf(to) > LAYERS.indexOf(from) ? `imports ${target}, which is above it` : undefined
}
