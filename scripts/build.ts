/**
 * Compiles the server into one executable: `bun run build` creates `dist/tessera` for this machine, `bun run build --all` one file
 * for each supported system, with SHA256SUMS and, if TESSERA_SIGN_KEY_FILE names a secret key of minisign, SHA256SUMS.sig and, with
 * `--notes-url URL --sums-url URL`, update.json, by which servers learn of the release. LICENSES.txt and sbom.cdx.json are written beside it. Tests, benchmarks and the container image use `--outfile FILE`, `--commit NAME` (where there is no git)
 * and `--entry FILE`.
 */

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { publicKeyOf, readSecretKey, type SecretKey, signRelease } from '../src/platform/minisign.ts'
import { writeNotice } from '../src/platform/release-notice.ts'
import { bundledModules, collectLicenses, serverSources, writeLicenseFiles, writeLicenses } from './licenses.ts'
import { packageFolder } from './sbom.ts'
import { buildAndReport } from './web-app.ts'

const root = resolve(import.meta.dir, '..')
const dist = join(root, 'dist')
/** Bun's own executables as npm packages, with versions and hashes from the lock file in this folder. */
const targets = join(import.meta.dir, 'targets')

interface Target {
  readonly name: string
  readonly bun: Bun.Build.CompileTarget
  readonly executable: string
}

const TARGETS: readonly Target[] = [
  { name: 'linux-x64', bun: 'bun-linux-x64', executable: 'bun-linux-x64/bin/bun' },
  { name: 'linux-arm64', bun: 'bun-linux-arm64', executable: 'bun-linux-aarch64/bin/bun' },
  { name: 'linux-x64-musl', bun: 'bun-linux-x64-musl', executable: 'bun-linux-x64-musl/bin/bun' },
  { name: 'linux-arm64-musl', bun: 'bun-linux-arm64-musl', executable: 'bun-linux-aarch64-musl/bin/bun' },
  { name: 'macos-x64', bun: 'bun-darwin-x64', executable: 'bun-darwin-x64/bin/bun' },
  { name: 'macos-arm64', bun: 'bun-darwin-arm64', executable: 'bun-darwin-aarch64/bin/bun' },
  { name: 'windows-x64', bun: 'bun-windows-x64', executable: 'bun-windows-x64/bin/bun.exe' },
]

const { values } = parseArgs({
  options: {
    all: { type: 'boolean' },
    outfile: { type: 'string' },
    commit: { type: 'string' },
    entry: { type: 'string', default: 'src/main.ts' },
    'notes-url': { type: 'string' },
    'sums-url': { type: 'string' },
  },
})

const { packageManager, version } = (await Bun.file(join(root, 'package.json')).json()) as {
  packageManager: string
  version: string
}
if (packageManager !== `bun@${Bun.version}`)
  throw new Error(`The executable contains the Bun that builds it: use ${packageManager}, not bun@${Bun.version}.`)

function git(...args: string[]): string {
  // The container image is built without git.
  if (Bun.which('git') === null) return ''
  const { success, stdout } = Bun.spawnSync(['git', ...args], { cwd: root, stderr: 'ignore' })
  return success ? stdout.toString().trim() : ''
}

const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+changes'
const commit = values.commit ?? (git('rev-parse', '--short=12', 'HEAD') || 'unknown') + changed
/** The time of the commit, so that the same commit gives the same file. */
const builtAt = Number(git('log', '-1', '--format=%ct') || 0) * 1000

const keyFile = process.env['TESSERA_SIGN_KEY_FILE']
/** Read before anything is built. The program contains the public key, and so can check later releases. */
const signKey = keyFile ? readSecretKey(readFileSync(keyFile, 'utf8')) : undefined
// A wrong address ends the build before its long part.
if (signKey) noticeOf(signKey)

if (values.all) rmSync(dist, { recursive: true, force: true })
/** Files that the executable contains, by the name of the module that has their path. They are in `dist`. */
const modules = await bundledModules(values.entry)
const licenses = collectLicenses(modules, { commit, builtAt })
const embedded = {
  'tessera:web-app': (await buildAndReport({ quick: false })).path,
  'tessera:licenses': writeLicenses(licenses),
}

async function build(outfile: string, target?: Target): Promise<void> {
  // Built in a folder of its own, because Bun also leaves the source maps, which are inside the executable, beside it.
  mkdirSync(dirname(outfile), { recursive: true })
  const folder = mkdtempSync(join(dirname(outfile), '.build-'))
  const made = join(folder, basename(outfile))
  const result = await Bun.build({
    ...serverSources(values.entry),
    bytecode: true,
    sourcemap: 'linked',
    metafile: true,
    // Elysia reads the source of handlers at run time: in a minified executable, requests that should answer 200 answer 500.
    minify: false,
    plugins: [
      {
        name: 'embedded files',
        setup: ({ onResolve }) =>
          void onResolve({ filter: /^tessera:/ }, ({ path }) => ({ path: embedded[path as keyof typeof embedded] })),
      },
    ],
    define: {
      TESSERA_COMMIT: JSON.stringify(commit),
      TESSERA_BUILT_AT: String(builtAt),
      TESSERA_RELEASE_KEY: JSON.stringify(signKey ? publicKeyOf(signKey) : ''),
    },
    compile: {
      outfile: made,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target && { target: target.bun, executablePath: join(targets, 'node_modules/@oven', target.executable) }),
    },
  })
  for (const log of result.logs) console.error(String(log))
  if (!result.success) throw new Error(`${outfile} could not be built`)
  refuseUnlisted(Object.keys(result.metafile!.inputs))
  renameSync(made, outfile)
  rmSync(folder, { recursive: true })
  const { size } = Bun.file(outfile)
  console.log(`${outfile}  ${(size / 1e6).toFixed(1)} MB`)
}

/** The list was made from a bundle of its own, because the executable contains it. */
function refuseUnlisted(paths: readonly string[]): void {
  const known = new Set(Object.keys(modules).map(packageFolder))
  const unlisted = paths.map(packageFolder).find((folder) => !known.has(folder))
  if (unlisted !== undefined) throw new Error(`${unlisted} is in the executable, but not in the list of licences.`)
}

async function buildAll(): Promise<void> {
  const install = Bun.spawnSync([process.execPath, 'install', '--frozen-lockfile', '--os=*', '--cpu=*'], {
    cwd: targets,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (!install.success) throw new Error("Bun's executables for other systems could not be installed")
  const files = ['LICENSES.txt', 'sbom.cdx.json']
  writeLicenseFiles(licenses, dist)
  for (const target of TARGETS) {
    const file = `tessera-${target.name}${target.name.startsWith('windows') ? '.exe' : ''}`
    await build(join(dist, file), target)
    files.push(file)
  }
  writeFileSync(join(dist, 'SHA256SUMS'), files.map((file) => `${sha256Of(join(dist, file))}  ${file}\n`).join(''))
  if (signKey) sign(signKey)
}

const sha256Of = (file: string): string => new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')

function sign(key: SecretKey): void {
  const sums = readFileSync(join(dist, 'SHA256SUMS'))
  const comment = `tessera ${version}, commit ${commit}`
  writeFileSync(join(dist, 'SHA256SUMS.sig'), signRelease(sums, key, comment))
  const notice = noticeOf(key)
  if (notice !== undefined) writeFileSync(join(dist, 'update.json'), notice)
}

/** Undefined without the addresses under which the release will be found. */
function noticeOf(key: SecretKey): string | undefined {
  const { 'notes-url': notesUrl, 'sums-url': sha256sumsUrl } = values
  if (notesUrl === undefined || sha256sumsUrl === undefined) return undefined
  return writeNotice({ version, date: new Date(builtAt).toISOString().slice(0, 10), notesUrl, sha256sumsUrl }, key)
}

const outfile = resolve(values.outfile ?? join(dist, process.platform === 'win32' ? 'tessera.exe' : 'tessera'))
if (values.all) await buildAll()
else {
  await build(outfile)
  writeLicenseFiles(licenses, dirname(outfile))
}
