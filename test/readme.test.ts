/** Runs the commands of the README and of docs/api.md against a fresh server, and checks the links and lists of the documents. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { Glob } from 'bun'

import { settingsMarkdown } from '#cli/help.ts'

import { TOPICS } from './architecture/topics.ts'
import { pictureOfPng, readByQr } from './lib/qr-pictures.ts'
import { Installation } from './ops/cli.ts'

const root = join(import.meta.dir, '..')
const readme = await Bun.file(join(root, 'README.md')).text()
const manifest = await Bun.file(join(root, 'package.json')).json()

const shellBlocks = (markdown: string): string[] => [...markdown.matchAll(/^```sh\n([^]*?)^```/gm)].map((m) => m[1]!)

async function section(file: string, title: string): Promise<string> {
  const [, text] = (await Bun.file(join(root, file)).text()).split(`\n## ${title}\n`)
  if (text === undefined) throw new Error(`${file} has no section "${title}"`)
  return text.split('\n## ')[0]!
}

test('the README opens with the two commands, followed by the same commands for machines with only Node', () => {
  const { packageManager, scripts } = manifest
  expect(shellBlocks(readme).slice(0, 2)).toEqual([
    'bun start\nbun run test\n',
    `npx -y ${packageManager} start\nnpx -y ${packageManager} run test\n`,
  ])
  expect(readme.split('```sh')[0]).toBe('# Tessera\n\n')
  expect(Object.keys(scripts)).toContain('start')
  expect(Object.keys(scripts)).toContain('test')
})

test('every command of "Five minutes in a terminal" in docs/api.md succeeds against a fresh server', async () => {
  const home = await Installation.make()
  try {
    const server = await home.serve()
    let link: string | undefined
    for (let tries = 0; tries < 2_000 && link === undefined; tries++) {
      link = /http:\/\/\S+\/setup\?token=\S+/.exec(server.stdout())?.[0]
      if (link === undefined) await Bun.sleep(10)
    }
    expect(link).toBeString()

    const script = shellBlocks(await section('docs/api.md', 'Five minutes in a terminal')).join('')
    expect(script).toContain('http://localhost:8080')
    const child = Bun.spawn(
      ['bash', '-euo', 'pipefail', '-c', script.replaceAll('http://localhost:8080', server.url)],
      {
        cwd: home.cwd,
        stdin: new TextEncoder().encode(`${link}\n`),
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, err }).toEqual({ code: 0, err: '' })

    expect(out).toContain('administrator: 303\n')
    const thumbnail = new URL(/http\S+variant=THUMBNAIL\S+/.exec(out)![0])
    const image = await fetch(server.url + thumbnail.pathname + thumbnail.search)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp'])
    await image.bytes()
    const pass = await fetch(server.url + new URL(/http\S+\/s\/pass\/\S+/.exec(out)![0]).pathname)
    expect([pass.status, await pass.text()]).toEqual([200, expect.stringContaining('Lin Mei')])
    expect(out).toContain('<h1>Spring menu</h1>')
    const shown = JSON.parse(out.slice(out.indexOf('{"code"')))
    expect(shown).toMatchObject({ code: 200, data: { name: 'Spring menu', content: 'https://example.org/menu' } })
    expect(readByQr(pictureOfPng(await Bun.file(join(home.cwd, 'menu.png')).bytes()))).toBe('https://example.org/menu')
    expect((await Bun.file(join(home.cwd, 'openapi.json')).json()).info.title).toBe('Tessera')
    // The link works once, and without a token the list of QR codes is refused.
    expect((await fetch(link!)).status).toBe(403)
    expect((await fetch(`${server.url}/api/qr-codes`)).status).toBe(401)
  } finally {
    await home.dispose()
  }
})

test('docs/operations.md, to which the README refers for the configuration, lists the same settings as the program', async () => {
  expect(readme).toContain('](docs/operations.md#configuration)')
  // The formatter pads the columns of the table.
  const plain = (markdown: string): string => markdown.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ')
  expect(plain(await section('docs/operations.md', 'Configuration'))).toContain(plain(settingsMarkdown()))
})

test('docs/architecture.md lists every domain with its topics in the order that the architecture check keeps', async () => {
  const text = await Bun.file(join(root, 'docs/architecture.md')).text()
  const items = text.replaceAll(/\n  (?=\S)/g, ' ').matchAll(/^- \*\*([\w-]+)\*\*, [^:\n]+(?:: (.*))?$/gm)
  const listed = Object.fromEntries([...items].map(([, domain, topics]) => [domain!, topics?.split(', ')]))
  const folders = readdirSync(join(root, 'src/domains'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(listed).toEqual(Object.fromEntries(folders.map(({ name }) => [name, TOPICS[name]?.slice()])))
})

describe('Markdown documents', () => {
  const documents = ['*.md', 'docs/**/*.md'].flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])

  /** The names under which GitHub links to the sections of a document. */
  const anchors = async (path: string) =>
    [...(await Bun.file(path).text()).replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    )

  test('every relative link of a Markdown document leads to an existing file, folder or section', async () => {
    const broken: string[] = []
    let count = 0
    for (const file of documents)
      for (const [, target, anchor] of (await Bun.file(join(root, file)).text()).matchAll(
        /\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]+))?\)/g,
      )) {
        count++
        const path = target === '' ? join(root, file) : join(root, dirname(file), target!)
        if (!existsSync(path) || (anchor !== undefined && !(await anchors(path)).includes(anchor)))
          broken.push(`${file} → ${target}#${anchor ?? ''}`)
      }
    expect(count).toBeGreaterThan(10)
    expect(broken).toEqual([])
  })

  test('package.json has every script that a document mentions', async () => {
    const texts = await Promise.all(documents.map((file) => Bun.file(join(root, file)).text()))
    const named = new Set([...texts.join('\n').matchAll(/\bbun run ([\w:]+)/g)].map((m) => m[1]!))
    expect(named.size).toBeGreaterThan(4)
    expect([...named].filter((name) => !(name in manifest.scripts))).toEqual([])
  })

  test('the changelog has a section for the version of package.json', async () => {
    expect(await Bun.file(join(root, 'CHANGELOG.md')).text()).toContain(`## [${manifest.version}]`)
  })

  test('no Markdown document has a section or a list item twice, or the header of a table within that table', async () => {
    const doubled: string[] = []
    let count = 0
    for (const file of documents) {
      count++
      const seen = new Set<string>()
      let tableHeader: string | undefined
      const text = await Bun.file(join(root, file)).text()
      for (const line of text.replaceAll(/^```[^]*?^```/gm, '').split('\n')) {
        const cells = line.startsWith('|') ? line.replaceAll(/\s+/g, ' ') : undefined
        if (cells !== undefined && cells === tableHeader) doubled.push(`${file}: ${cells}`)
        tableHeader = cells && (tableHeader ?? cells)
        if (!line.startsWith('- ') && !line.startsWith('## ')) continue
        if (seen.has(line)) doubled.push(`${file}: ${line}`)
        seen.add(line)
      }
    }
    expect(count).toBeGreaterThan(10)
    expect(doubled).toEqual([])
  })
})
