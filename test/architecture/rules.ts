/** The layer rules of CONTRIBUTING.md as one function over source files: gives a sentence for each breach. */

export interface SourceFile {
  /** From the repository's root: `src/http/mount.ts`. */
  path: string
  text: string
}

interface Import {
  /** `src/…` or `migrations/…` for files of the repository, else the package's name. */
  target: string
  typeOnly: boolean
}

/** Areas from the bottom up: each may import itself and those before it. */
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

/** Parts of a domain from the bottom up; files with other names may stand anywhere. */
const PARTS: Record<string, number> = {
  'errors.ts': 0,
  'model.ts': 0,
  'rules.ts': 0,
  'view.ts': 1,
  'store.ts': 1,
  'service.ts': 2,
  'jobs.ts': 3,
  'page.ts': 3,
  'endpoints.ts': 3,
  'admin.endpoints.ts': 3,
}

export const MAX_LINES = 500

/** What only some files may ask for. `allowed` is matched against the path. */
const RESERVED: { what: string; pattern: RegExp; allowed: RegExp }[] = [
  {
    what: 'reads the environment',
    pattern: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b|\benv\b[^;\n]*from ["']node:process["']/,
    allowed: /^src\/config\//,
  },
  {
    // `performance.now()` measures durations and cannot tell the time of day: anybody may.
    what: 'asks for the time',
    pattern:
      /\bDate\.now\b|\bnew Date(?:\(\)|(?![\w(]))|(?<!new )\bDate\(\)|\bTemporal\.Now\b|\bperformance\.timeOrigin\b/,
    allowed: /^src\/platform\/clock\.ts$/,
  },
  {
    what: 'asks for randomness',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|Int|UUID|UUIDv7|UUIDv5|Fill|FillSync)\b|\bgetRandomValues\b/,
    allowed: /^src\/platform\/ids\.ts$/,
  },
]

const PACKAGES: { name: string; pattern: RegExp; allowed: RegExp }[] = [
  { name: 'Elysia', pattern: /^(?:elysia|@elysiajs\/.*)$/, allowed: /^src\/http\// },
  { name: 'drizzle', pattern: /^drizzle-orm(?:\/|$)/, allowed: /^src\/(?:db\/|domains\/(?:.+\/)?store\.ts$)/ },
]

const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' })

export function breaches(files: readonly SourceFile[]): string[] {
  const found: string[] = []
  const domainEdges = new Map<string, Set<string>>()
  for (const file of files) {
    const say = (what: string) => found.push(`${file.path} ${what}`)
    const lines = file.text.split('\n').length - 1
    if (lines > MAX_LINES) say(`has ${lines} lines, more than ${MAX_LINES}`)
    const imports = importsOf(file)
    // Without comments and types, which may name anything.
    const code = file.path.endsWith('.d.ts') ? '' : transpiler.transformSync(file.text)
    if (/['"]\.\.\/\.\.\/\.\.\//.test(code))
      say('imports a path that begins with ../../../: use an alias of package.json')
    for (const { what, pattern, allowed } of RESERVED) if (pattern.test(code) && !allowed.test(file.path)) say(what)
    for (const { target, typeOnly } of imports) {
      for (const { name, pattern, allowed } of PACKAGES)
        if (pattern.test(target) && !allowed.test(file.path)) say(`imports ${name} (${target})`)
      const wrong =
        wrongLayer(file.path, target, typeOnly) ?? wrongPart(file.path, target) ?? impure(file.path, target, typeOnly)
      if (wrong !== undefined) say(wrong)
      const [from, to] = [domainOf(file.path), domainOf(target)]
      if (to !== undefined && from !== to) {
        if (target !== `src/domains/${to}/index.ts`) say(`reaches into ${target}, past the domain's index.ts`)
        if (from !== undefined) domainEdges.set(from, (domainEdges.get(from) ?? new Set()).add(to))
      }
    }
  }
  const cycle = findCycle(domainEdges)
  if (cycle) found.push(`domains import each other in a circle: ${cycle.join(' → ')}`)
  return found
}

const layerOf = (path: string): string | undefined => /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1]
const domainOf = (path: string): string | undefined => /^src\/domains\/([^/]+)\//.exec(path)?.[1]
const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function wrongLayer(path: string, target: string, typeOnly: boolean): string | undefined {
  const from = layerOf(path)
  if (from === undefined || !LAYERS.includes(from)) return `is in no known layer`
  const to = layerOf(target)
  if (to === undefined) return undefined
  if (!LAYERS.includes(to)) return `imports ${target}, which is in no known layer`
  if (from === 'http' && to === 'db' && !typeOnly && target !== 'src/db/errors.ts')
    return `imports ${target}: http/ may know the types and errors of db/ only`
  return LAYERS.indexOf(to) > LAYERS.indexOf(from) ? `imports ${target}, which is above it` : undefined
}

function wrongPart(path: string, target: string): string | undefined {
  if (domainOf(path) === undefined || domainOf(path) !== domainOf(target)) return undefined
  if (basename(target) === 'index.ts' && target.split('/').length === 4) return `imports its own domain's index.ts`
  const [from, to] = [PARTS[basename(path)], PARTS[basename(target)]]
  return from !== undefined && to !== undefined && to > from ? `imports ${target}, which is above it` : undefined
}

/** `rules.ts` decides, and neither looks anything up nor knows the context. */
function impure(path: string, target: string, typeOnly: boolean): string | undefined {
  if (domainOf(path) === undefined || basename(path) !== 'rules.ts' || typeOnly) return undefined
  return /^src\/(?:db|context)\b/.test(target) || /^(?:node:fs|node:net|bun:sqlite)/.test(target)
    ? `imports ${target}: rules are pure`
    : undefined
}

const STATIC = /^[ \t]*(?:import|export)\s+(type\s)?(?:[\w*{][^'"`;]*?\sfrom\s*)?['"]([^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"\n]+)['"]/g

export function importsOf(file: SourceFile): Import[] {
  const source = file.text.replaceAll(/\/\*[^]*?\*\//g, '')
  const target = (name: string) => {
    if (name.startsWith('.')) return new URL(name, `file:///${file.path}`).pathname.slice(1)
    // The aliases under `imports` in package.json.
    if (name.startsWith('#')) return `src/${name.slice(1)}${name.includes('/') ? '' : '.ts'}`
    return name
  }
  return [
    ...[...source.matchAll(STATIC)].map((m) => ({ target: target(m[2]!), typeOnly: m[1] !== undefined })),
    ...[...source.matchAll(DYNAMIC)].map((m) => ({ target: target(m[1]!), typeOnly: false })),
  ]
}

function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  const walk = (at: string, trail: string[]): string[] | undefined => {
    if (trail.includes(at)) return [...trail.slice(trail.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const next of edges.get(at) ?? []) {
      const cycle = walk(next, [...trail, at])
      if (cycle) return cycle
    }
    done.add(at)
    return undefined
  }
  for (const start of edges.keys()) {
    const cycle = walk(start, [])
    if (cycle) return cycle
  }
  return undefined
}
