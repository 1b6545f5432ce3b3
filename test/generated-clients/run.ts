/**
 * Generates clients in Kotlin and TypeScript from the API document, compiles all of their files, and runs a small app with each of them:
 *
 *     bun test/generated-clients/run.ts
 *
 * The test suite does not run it: it needs Java 17, downloads 110 MB once, and the compiler for Kotlin takes three minutes of CPU. Run it after changes
 * in src/http/openapi/. The rules that it led to are checked at each change by test/http/openapi-generators.test.ts.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { snapshot } from '../../scripts/openapi.ts'
import { startServer } from '../harness/index.ts'

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0'
const KOTLIN = '2.4.21'
const COMPILER = [
  `org.jetbrains.kotlin:kotlin-compiler-embeddable:${KOTLIN}`,
  `org.jetbrains.kotlin:kotlin-script-runtime:${KOTLIN}`,
  `org.jetbrains.kotlin:kotlin-daemon-embeddable:${KOTLIN}`,
  'org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.8.0',
  'org.jetbrains:annotations:13.0',
]
/** The libraries that the generated client names in its build file, with their dependencies. */
const LIBRARIES = [
  `org.jetbrains.kotlin:kotlin-stdlib:${KOTLIN}`,
  `org.jetbrains.kotlin:kotlin-reflect:${KOTLIN}`,
  'com.squareup.moshi:moshi:1.15.2',
  'com.squareup.moshi:moshi-kotlin:1.15.2',
  'com.squareup.okhttp3:okhttp-jvm:5.4.0',
  'com.squareup.okio:okio-jvm:3.17.0',
]
/** More bytes than 32 bits can count. */
const QUOTA = 6 * 1024 ** 3
/** Of the TypeScript compiler. The generated code imports without extensions, and has imports that it does not use. */
const STRICT = {
  strict: true,
  noEmit: true,
  target: 'ES2022',
  module: 'Preserve',
  lib: ['ES2022', 'DOM'],
  types: ['bun'],
  typeRoots: [join(import.meta.dir, '../../node_modules/@types')],
  allowImportingTsExtensions: true,
}

const project = join(import.meta.dir, '../..')
const cache = join(project, 'node_modules/.cache/generated-clients')
const work = mkdtempSync(join(tmpdir(), 'tessera-clients-'))

/** Downloads the missing files. Returns all paths, separated as in a class path. */
async function jars(coordinates: readonly string[]): Promise<string> {
  const paths = coordinates.map(async (coordinate) => {
    const [group, name, version] = coordinate.split(':')
    const path = join(cache, `${name}-${version}.jar`)
    if (existsSync(path)) return path
    const url = `https://repo1.maven.org/maven2/${group!.replaceAll('.', '/')}/${name}/${version}/${name}-${version}.jar`
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    await Bun.write(path, await response.bytes())
    return path
  })
  return (await Promise.all(paths)).join(':')
}

/** Prints what the program prints only if it fails. */
async function run(title: string, ...command: string[]): Promise<void> {
  const started = performance.now()
  const child = Bun.spawn(command, { cwd: work, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${title} failed with ${status}:\n${`${out}\n${err}`.slice(0, 20_000)}`)
  console.log(`${title}: ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

try {
  await Bun.write(join(work, 'openapi.json'), snapshot())
  const [generator, compiler, libraries] = await Promise.all([jars([GENERATOR]), jars(COMPILER), jars(LIBRARIES)])
  const generate = ['java', '-jar', generator, 'generate', '-i', 'openapi.json']
  const server = await startServer({ settings: { 'quota.storage': QUOTA } })

  await run('TypeScript: generate', ...generate, '-g', 'typescript-fetch', '-o', 'client')
  await Bun.write(join(work, 'app.ts'), Bun.file(join(import.meta.dir, 'app.ts')))
  await Bun.write(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['.'] }))
  await run('TypeScript: compile', join(project, 'node_modules/.bin/tsc'), '--project', work)
  await run('TypeScript: run', process.execPath, 'app.ts', server.url, String(QUOTA))

  await run('Kotlin: generate', ...generate, '-g', 'kotlin', '--library', 'jvm-okhttp4', '-o', 'kotlin')
  const compile = [
    'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler',
    '-no-stdlib',
    '-no-reflect',
    '-nowarn',
    '-d',
    'classes',
  ]
  const sources = ['kotlin/src/main/kotlin', join(import.meta.dir, 'Main.kt')]
  const classes = `${compiler}:${libraries}`
  await run('Kotlin: compile', 'java', '-Xmx2500m', '-cp', classes, ...compile, '-classpath', libraries, ...sources)
  await run('Kotlin: run', 'java', '-cp', `classes:${libraries}`, 'MainKt', server.url, String(QUOTA))
  await server.stop()
} finally {
  rmSync(work, { recursive: true, force: true })
}
