/**
 * Builds the web application (src/web) into one file, `dist/web/<hash>.pack`, which the server reads and the executable contains.
 * Does nothing if the sources have not changed. The file appears under its name when it is complete. Of several processes that need it at
 * once, such as tests, one builds and the others wait.
 *
 *   bun scripts/web-app.ts              builds if needed, and prints the sizes of all files
 *   bun scripts/web-app.ts --path       prints the path of the pack (src/http/web-app/pack.ts)
 *   bun scripts/web-app.ts --optional   prints no sizes, and exits with 0 if the web application cannot be built (bun start)
 *
 * With NODE_ENV=development it compresses quickly, joins no parts and checks no size.
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { PackedFile, PackIndex, Place } from '#http/web-app/pack.ts'

import { joinParts } from './web-app-parts.ts'

const root = resolve(import.meta.dir, '..')
const sources = join(root, 'src/web')
const dist = join(root, 'dist/web')
/** Compressed files by the hash of their content: brotli needs seconds for each megabyte, and most files stay the same. */
const cache = join(dist, 'compressed')

/** The parts that are loaded before something is shown, and their largest size on the wire, in brotli. Parts that other pages need belong behind `import()`. */
export const LOADS = {
  /** Page, styles, entry and its static imports. A phone with 1.6 Mbit/s (a slow 4G connection) loads them in a second. */
  signIn: { label: 'Sign-in page', limit: 200 * 1024, sources: ['src/web/main.tsx', 'src/web/loading.css'] },
  /** The same, the shell, and the largest list that people open first. */
  firstList: {
    label: 'First list after it',
    limit: 280 * 1024,
    sources: ['src/web/main.tsx', 'src/web/loading.css', 'src/web/shell/Shell.tsx', 'src/web/areas/codes/CodeList.tsx'],
  },
} as const

type Load = keyof typeof LOADS

const HOUR_MS = 3_600_000

export interface BuiltWebApp {
  /** Of the pack. */
  readonly path: string
  /** A table of the files with their sizes; undefined if nothing was built, because nothing has changed. */
  readonly sizes: string | undefined
}

/** @throws Error with the messages of the compiler, or the sizes if the first load is too large */
async function buildWebApp(quick: boolean, onStart: () => void): Promise<BuiltWebApp> {
  const path = join(dist, `${hashOfSources(quick)}.pack`)
  mkdirSync(cache, { recursive: true })
  using lock = await lockOrResult(path)
  if (lock === undefined) return { path, sizes: undefined }
  onStart()
  const files = await compress(await bundle(quick), quick)
  const loads = (Object.keys(LOADS) as Load[]).map((load) => ({ ...LOADS[load], bytes: bytesOf(files, load) }))
  for (const { label, limit, bytes } of loads)
    if (!quick && bytes > limit)
      throw new Error(
        `${label}: ${kib(bytes)} on the wire, more than ${kib(limit)} (scripts/web-app.ts):\n${sizes(files)}\n` +
          'Import parts that it does not show with import().',
      )
  writeWhole(path, pack(files))
  removeOld(path)
  const totals = loads.map(({ label, limit, bytes }) => `${label}: ${kib(bytes)} of at most ${kib(limit)}`)
  return { path, sizes: [sizes(files), ...totals].join('\n') }
}

/** Waits while another process builds. Undefined as soon as the result exists, otherwise the lock with which this process has to build it. */
async function lockOrResult(path: string): Promise<Disposable | undefined> {
  const lock = `${path}.lock`
  while (!existsSync(path)) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return { [Symbol.dispose]: () => rmSync(lock, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    await Bun.sleep(50)
    if (!isRunning(lock)) rmSync(lock, { force: true })
  }
  return undefined
}

/** False if the process that holds the lock was killed. Two that find this at once may both build, which does no harm. */
function isRunning(lock: string): boolean {
  try {
    const pid = readFileSync(lock, 'utf8')
    // The pid is written just after the file is created.
    return pid === '' ? statSync(lock).mtimeMs > Date.now() - 1000 : process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Changes with everything that the result depends on. */
function hashOfSources(quick: boolean): string {
  const hash = new Bun.CryptoHasher('sha256').update(`${Bun.version} ${quick}\n`)
  // The web application draws QR codes and reads their contents with code of the server.
  const files = [sources, join(root, 'src/lib/qr'), join(root, 'src/lib/qr-contents')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
    .filter((file) => statSync(file).isFile())
  const ours = [import.meta.path, join(import.meta.dir, 'web-app-parts.ts')]
  for (const file of [...files.toSorted(), join(root, 'bun.lock'), ...ours])
    hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

interface BuiltFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
  /** Of which it is a part. */
  readonly loads: readonly Load[]
}

/** @throws Error with the messages of the compiler */
async function compile(options: Bun.BuildConfig): Promise<Bun.BuildOutput> {
  const result = await Bun.build({ target: 'browser', minify: true, metafile: true, throw: false, ...options })
  if (!result.success || result.metafile === undefined)
    throw new Error(result.logs.map((log) => Bun.inspect(log, { colors: false })).join('\n'))
  return result
}

/**
 * Material UI loads its themes of CSS variables with every theme. Ours has no `cssVariables` and no `colorSchemes`, so they are never called:
 * 7 KiB of the first load.
 */
const withoutCssVariables: Bun.BunPlugin = {
  name: 'without-css-variables',
  setup(build) {
    const filter = /@mui\/material\/styles\/(?:createThemeWithVars|ThemeProviderWithVars)\.mjs$/
    build.onLoad({ filter }, () => ({
      loader: 'js',
      contents: `
        export default function createThemeWithVars() { throw new Error('themes of CSS variables are left out (scripts/web-app.ts)') }
        export const CssVarsProvider = createThemeWithVars`,
    }))
  },
}

const compilePages = (plugins: Bun.BunPlugin[] = []): Promise<Bun.BuildOutput> =>
  compile({
    plugins: [withoutCssVariables, ...plugins],
    entrypoints: [join(sources, 'main.tsx'), join(sources, 'loading.css')],
    format: 'esm',
    splitting: true,
    publicPath: '/console/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })

/** As the server sends it with the page (`x-page-version`). */
const hashOf = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 20)

/** Apart, because it is one file, whose name stays the same: the address of a service worker may not change. */
const compileWorker = (files: readonly string[] = [], page = ''): Promise<Bun.BuildOutput> =>
  compile({
    entrypoints: [join(sources, 'worker.ts')],
    define: {
      FILES: JSON.stringify(files),
      PAGE_HASH: JSON.stringify(hashOf(page)),
    },
  })

/** With small parts joined. */
async function compileJoined(): Promise<Bun.BuildOutput> {
  const { outputs } = (await compilePages()).metafile!
  return await compilePages([joinParts(root, outputs)])
}

/** All bundles of the web application, for the list of what they contain (scripts/licenses.ts). */
export const bundleWebApp = async (): Promise<Bun.BuildOutput[]> => [await compilePages(), await compileWorker()]

async function bundle(quick: boolean): Promise<BuiltFile[]> {
  const result = await (quick ? compilePages() : compileJoined())
  const outputs = result.metafile!.outputs
  // Files that are imported with import() are entries too.
  const builtFrom = (source: string): string | undefined => {
    const extension = source.endsWith('.css') ? '.css' : '.js'
    return Object.keys(outputs).find((name) => name.endsWith(extension) && outputs[name]!.entryPoint?.endsWith(source))
  }
  /** The files of these sources with all that they import statically, and the styles of these. */
  const filesOf = (sources: readonly string[]): string[] => {
    const names = sources.flatMap((source) => builtFrom(source) ?? [])
    for (const name of names)
      for (const { path, kind } of outputs[name]!.imports)
        if (kind === 'import-statement' && !names.includes(path)) names.push(path)
    return [...new Set([...names, ...names.flatMap((name) => outputs[name]!.cssBundle ?? [])])]
  }
  const parts = (Object.keys(LOADS) as Load[]).map((load) => ({
    load,
    names: filesOf(LOADS[load].sources).map((name) => basename(name)),
  }))
  const loadsOf = (name: string): Load[] => parts.flatMap(({ load, names }) => (names.includes(name) ? [load] : []))
  const first = parts[0]!.names
  const scripts = first.filter((name) => name.endsWith('.js'))
  const styles = first.filter((name) => name.endsWith('.css'))

  const [entry, ...imported] = scripts.map((name) => `/console/${name}`)
  const tags = [
    ...styles.map((name) => `<link rel="stylesheet" href="/console/${name}">`),
    ...imported.map((name) => `<link rel="modulepreload" href="${name}">`),
    `<script type="module" src="${entry}"></script>`,
  ]
  const page = readFileSync(join(sources, 'index.html'), 'utf8')
  if (!page.includes('<!-- files -->')) throw new Error('src/web/index.html has no line <!-- files -->')
  const html = page.replace('<!-- files -->', () => tags.join('\n    '))
  return [
    await bundleWorker(
      result.outputs.map(({ path }) => basename(path)),
      html,
    ),
    {
      name: 'index.html',
      type: 'text/html; charset=utf-8',
      bytes: new TextEncoder().encode(html),
      loads: ['signIn', 'firstList'],
    },
    ...(await Promise.all(
      result.outputs.map(async (output) => {
        const name = basename(output.path)
        const type = typeOf(output.type)
        return { name, type, bytes: new Uint8Array(await output.arrayBuffer()), loads: loadsOf(name) }
      }),
    )),
  ]
}

/** It keeps these files and this page. */
async function bundleWorker(files: readonly string[], page: string): Promise<BuiltFile> {
  const [output] = (await compileWorker(files, page)).outputs as [Bun.BuildArtifact]
  return {
    name: 'worker.js',
    type: typeOf(output.type),
    bytes: new Uint8Array(await output.arrayBuffer()),
    loads: [],
  }
}

const typeOf = (type: string): string => (type.startsWith('text/') ? `${type.replace(/;.*/, '')}; charset=utf-8` : type)

interface CompressedFile {
  readonly type: string
  readonly hash: string
  readonly loads: readonly Load[]
  readonly plain: Uint8Array
  /** Undefined if compression gains nothing: pictures, fonts in WOFF2. */
  readonly br: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
}

async function compress(files: readonly BuiltFile[], quick: boolean): Promise<Map<string, CompressedFile>> {
  const compressed = files.map(async ({ name, type, bytes, loads }): Promise<[string, CompressedFile]> => {
    const hash = hashOf(bytes)
    const [br, gz] = await Promise.all([
      cached(`${hash}${quick ? '-quick' : ''}.br`, () =>
        promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: quick ? 4 : 11,
            [constants.BROTLI_PARAM_LGWIN]: 22,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        }),
      ),
      cached(`${hash}${quick ? '-quick' : ''}.gz`, () => promisify(gzip)(bytes, { level: quick ? 4 : 9 })),
    ])
    const gains = gz.length < bytes.length * 0.9
    return [name, { type, hash, loads, plain: bytes, br: gains ? br : undefined, gzip: gains ? gz : undefined }]
  })
  return new Map((await Promise.all(compressed)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function cached(name: string, create: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const path = join(cache, name)
  if (existsSync(path)) {
    // It is in use, so `removeOld` keeps it.
    utimesSync(path, new Date(), new Date())
    return readFileSync(path)
  }
  const bytes = await create()
  writeWhole(path, bytes)
  return bytes
}

/** Other processes see the whole file or none. */
function writeWhole(path: string, bytes: Uint8Array): void {
  const unfinished = `${path}.${process.pid}.part`
  writeFileSync(unfinished, bytes)
  renameSync(unfinished, path)
}

/** The form of the file is described at `PackIndex`. */
function pack(files: ReadonlyMap<string, CompressedFile>): Uint8Array {
  const parts: Uint8Array[] = []
  let end = 0
  const add = (bytes: Uint8Array | undefined): Place | undefined => {
    if (bytes === undefined) return undefined
    parts.push(bytes)
    return [end, (end += bytes.length)]
  }
  const index: Record<string, PackedFile> = {}
  for (const [name, { type, hash, plain, br, gzip }] of files) {
    // The server unpacks gzip for clients that understand no compression, which saves a third of the file.
    const places = gzip === undefined ? { plain: add(plain) } : { br: add(br), gzip: add(gzip) }
    index[name] = { type, hash, size: plain.length, ...places }
  }
  const head = new TextEncoder().encode(JSON.stringify(index satisfies PackIndex))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, head.length)
  return Buffer.concat([length, head, ...parts])
}

/** Removes files of earlier builds. A build or a server that uses one may still run, so the last hour is kept. */
function removeOld(current: string): void {
  for (const folder of [dist, cache])
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const facts = statSync(path, { throwIfNoEntry: false })
      if (path !== current && facts?.isFile() && facts.mtimeMs < Date.now() - HOUR_MS) rmSync(path, { force: true })
    }
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

const bytesOf = (files: ReadonlyMap<string, CompressedFile>, load: Load): number =>
  [...files.values()].reduce((sum, { br, plain, loads }) => sum + (loads.includes(load) ? (br ?? plain).length : 0), 0)

function sizes(files: ReadonlyMap<string, CompressedFile>): string {
  const rows = [...files]
    .map(([name, { plain, br, loads }]) => ({ name, size: plain.length, wire: (br ?? plain).length, loads }))
    .toSorted((a, b) => b.loads.length - a.loads.length || b.wire - a.wire)
  return rows
    .map(
      ({ name, size, wire, loads }) =>
        `  ${(loads[0] ?? '').padEnd(9)} ${kib(wire).padStart(11)} of ${kib(size).padStart(11)}  ${name}`,
    )
    .join('\n')
}

/** Builds if needed, and says in the terminal that it does and how long it took. `quick`: compresses less and checks no size. */
export async function buildAndReport({ quick }: { quick: boolean }): Promise<BuiltWebApp> {
  const started = performance.now()
  const built = await buildWebApp(quick, () => console.error('Building the web application …'))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (built.sizes !== undefined) console.error(`The web application was built in ${seconds} s.`)
  return built
}

if (import.meta.main) {
  const [option] = process.argv.slice(2)
  try {
    const { path, sizes = 'The web application is up to date.' } = await buildAndReport({
      quick: process.env['NODE_ENV'] === 'development',
    })
    if (option === '--path') console.log(path)
    else if (option === undefined) console.log(sizes)
  } catch (error) {
    console.error(`The web application could not be built:\n${(error as Error).message}`)
    process.exitCode = option === '--optional' ? 0 : 1
  }
}
