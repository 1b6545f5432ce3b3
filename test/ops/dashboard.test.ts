/** The dashboard and the alerts name metrics that the server has, and labels that these metrics have. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'

import { readExposition } from '../operations/exposition.ts'
import { Installation, onPostgres } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await place.run(['dashboard', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** Of a process that shares its database, because metrics of events are only there then. */
const SHARED = {
  TESSERA_SECRET: 'the secret of all processes of a test',
  TESSERA_PUBLIC_URL: 'http://localhost:8080',
}

/** Metrics of the other database, and of a replica. */
const ELSEWHERE = onPostgres
  ? ['tessera_database_log_bytes', 'tessera_replica_delay_seconds']
  : [/^tessera_db_(?!group_size)/, /^tessera_bus_/, 'tessera_replica_delay_seconds']

test('every metric of the dashboard and of the alerts exists', async () => {
  const token = 'a-token-for-prometheus'
  const env = { TESSERA_METRICS_TOKEN: token, TESSERA_OTLP_URL: 'http://127.0.0.1:1', ...(onPostgres && SHARED) }
  const args = onPostgres ? ['--shared-files', join(place.home, 'shared')] : []
  if (onPostgres) await Bun.$`mkdir ${join(place.home, 'shared')}`
  const server = await place.serve(args, { env })
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${server.url}/setup`)
  const families = readExposition(await (await fetch(`${server.url}/actuator/metrics`, { headers })).text())
  expect(await server.end()).toBe(0)
  const texts = [await printed(), await printed('--alerts')]
  for (const text of texts) {
    const names = new Set(
      [...text.matchAll(/\b(?:tessera|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
    )
    expect(names.size).toBeGreaterThan(8)
    const missing = [...names].filter((name) => !families.has(name))
    expect(missing.filter((name) => !ELSEWHERE.some((one) => name.match(one)))).toEqual([])
    // Buckets exist for histograms only.
    for (const [, name] of text.matchAll(/\b((?:tessera|process)_[a-z_]+)_bucket/g))
      expect(families.get(name!)?.type ?? (onPostgres ? '' : 'histogram')).toBe('histogram')
  }
})

test('the dashboard has a data source to choose, rows, and no panel over another', async () => {
  const { schemaVersion, templating, panels } = JSON.parse(await printed())
  expect(schemaVersion).toBe(39)
  expect(templating.list.filter(({ type }: { type: string }) => type === 'datasource')).toHaveLength(1)
  expect(
    panels.filter(({ type }: { type: string }) => type === 'row').map(({ title }: { title: string }) => title),
  ).toEqual([
    'Traffic',
    'Errors',
    'Times',
    'Database',
    'Bus and processes',
    'Sockets',
    'Outbox',
    'Storage',
    'Jobs and backups',
    'Certificate',
  ])
  expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length)
  const taken = new Set<string>()
  for (const { gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`)).toBe(false)
        taken.add(`${x} ${y}`)
      }
})

test('the alerts are rules that Prometheus can read, each with a summary', async () => {
  const text = await printed('--alerts')
  const { groups } = Bun.YAML.parse(text) as {
    groups: {
      rules: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[]
    }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  expect(rules.length).toBeGreaterThan(10)
  const documented = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text()
  for (const { alert, expr, labels, annotations } of rules) {
    expect(expr.length).toBeGreaterThan(5)
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(annotations.summary).toEndWith('.')
    expect(documented).toContain(`\`${alert}\``)
  }
  // Debian's package `prometheus` contains it.
  if (Bun.which('promtool') === null) return
  const file = join(place.home, 'alerts.yml')
  await Bun.write(file, text)
  const { exitCode, stdout } = Bun.spawnSync(['promtool', 'check', 'rules', file])
  expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining('SUCCESS')])
})
