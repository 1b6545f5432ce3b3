/** Prints a Grafana dashboard, or alerts for Prometheus, made of the metrics of `GET /actuator/metrics`. */

import { EXIT } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async ({ options }) => {
  say(options.has('alerts') ? ALERTS : JSON.stringify(dashboard(), undefined, 2))
  return EXIT.ok
}

interface Panel {
  readonly title: string
  readonly unit: string
  /** Queries by the legend of their series. */
  readonly queries: Readonly<Record<string, string>>
}

const panel = (title: string, unit: string, queries: Panel['queries']): Panel => ({ title, unit, queries })

/** The filter of all queries: the variables of the dashboard. */
const OF = 'job=~"$job", instance=~"$instance"'

/** The 50th, 95th or 99th percentile of a histogram, by the label `by`. */
const quantile = (q: number, histogram: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${histogram}_bucket{${OF}}[$__rate_interval])))`
const quantiles = (histogram: string): Panel['queries'] => ({
  p50: quantile(0.5, histogram),
  p95: quantile(0.95, histogram),
  p99: quantile(0.99, histogram),
})
const rate = (counter: string, by: string, more = ''): string =>
  `sum by (${by}) (rate(${counter}{${OF}${more}}[$__rate_interval]))`
const value = (gauge: string): Panel['queries'] => ({ '{{instance}}': `${gauge}{${OF}}` })

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  Traffic: [
    panel('Requests', 'reqps', { '{{instance}}': rate('tessera_http_requests_total', 'instance') }),
    panel('Requests by endpoint (top 10)', 'reqps', {
      '{{endpoint}}': `topk(10, ${rate('tessera_http_requests_total', 'endpoint')})`,
    }),
    panel('Requests in flight', 'short', value('tessera_requests_in_flight')),
  ],
  Errors: [
    panel('Server errors', 'reqps', {
      '{{status}}': rate('tessera_http_requests_total', 'status', ', status=~"5.."'),
    }),
    panel('Refused requests', 'reqps', {
      '{{status}}': rate('tessera_http_requests_total', 'status', ', status=~"4.."'),
    }),
    panel('Log lines', 'cps', { '{{level}}': rate('tessera_log_lines_total', 'level') }),
    panel('Dropped spans of traces', 'cps', { '{{instance}}': rate('tessera_spans_dropped_total', 'instance') }),
  ],
  Times: [
    panel('Time to answer', 's', quantiles('tessera_http_request_duration_seconds')),
    panel('p99 by area (top 10)', 's', {
      '{{area}}': `topk(10, ${quantile(0.99, 'tessera_http_request_duration_seconds', 'area')})`,
    }),
    panel('Mean time by endpoint (top 10)', 's', {
      '{{endpoint}}': `topk(10, ${rate('tessera_http_request_seconds_total', 'endpoint')} / ${rate('tessera_http_requests_total', 'endpoint')})`,
    }),
  ],
  Database: [
    panel('Statements', 'ops', { '{{pool}}': rate('tessera_db_statements_total', 'pool') }),
    panel('p99 of a statement', 's', { '{{pool}}': quantile(0.99, 'tessera_db_seconds', 'pool') }),
    panel('Waiting for a connection', 'short', { '{{pool}}': `sum by (pool) (tessera_db_waiting{${OF}})` }),
    panel('Writes in a COMMIT', 'short', quantiles('tessera_db_group_size')),
    panel('Delay of the replica', 's', value('tessera_replica_delay_seconds')),
    panel('Conflicts', 'cps', { '{{instance}}': rate('tessera_db_conflicts_total', 'instance') }),
    panel('Log of SQLite', 'bytes', value('tessera_database_log_bytes')),
  ],
  'Bus and processes': [
    panel('Healthy processes', 'short', { healthy: `sum(tessera_up{${OF}})` }),
    panel('Events of other processes', 'cps', { '{{instance}}': rate('tessera_bus_events_total', 'instance') }),
    panel('Delay of events', 's', value('tessera_bus_delay_seconds')),
    panel('Since the last read of changes', 's', value('tessera_caught_up_seconds')),
    panel('Processes', 'short', { '{{state}}': `max by (state) (tessera_processes{${OF}})` }),
    panel('Processor', 'percentunit', { '{{instance}}': rate('process_cpu_seconds_total', 'instance') }),
    panel('Memory', 'bytes', value('process_resident_memory_bytes')),
  ],
  Sockets: [
    panel('Open sockets', 'short', value('tessera_sockets')),
    panel('Waiting for slow clients', 'bytes', value('tessera_sockets_unsent_bytes')),
    panel('Closed sockets', 'cps', { '{{code}}': rate('tessera_sockets_closed_total', 'code') }),
  ],
  Outbox: [
    panel('Waiting mails and SMS', 'short', { waiting: `max(tessera_outbox_waiting{${OF}})` }),
    panel('Age of the oldest', 's', { age: `max(tessera_outbox_oldest_seconds{${OF}})` }),
    panel('Attempts', 'cps', { '{{channel}} {{result}}': rate('tessera_messages_total', 'channel, result') }),
  ],
  Storage: [
    panel('Free space', 'bytes', value('tessera_disk_free_bytes')),
    panel('Refused writes', 'cps', { '{{cause}}': rate('tessera_writes_refused_total', 'cause') }),
    panel('Failures of files', 'cps', { '{{kind}}': rate('tessera_file_failures_total', 'kind') }),
  ],
  'Jobs and backups': [
    panel('Since the last good backup', 's', {
      age: `time() - max(tessera_backup_last_good_seconds{${OF}} > 0)`,
    }),
    panel('Since the last success of a job (top 10)', 's', {
      // Prometheus has a label "job" of its own.
      '{{exported_job}}': `topk(10, time() - max by (exported_job) (tessera_jobs_last_success_seconds{${OF}}))`,
    }),
  ],
  Certificate: [panel('Until the certificate expires', 's', value('tessera_certificate_expires_seconds'))],
}

/** Grafana's grid has 24 columns. */
const WIDTH = 8
const HEIGHT = 8
const SOURCE = { type: 'prometheus', uid: '${source}' }

function dashboard(): object {
  const panels: object[] = []
  let [id, y] = [1, 0]
  for (const [title, list] of Object.entries(ROWS)) {
    panels.push({ id: id++, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y: y++, w: 24, h: 1 } })
    for (const [i, { title: name, unit, queries }] of list.entries()) {
      const targets = Object.entries(queries).map(([legendFormat, expr], nth) => ({
        refId: String.fromCharCode(65 + nth),
        datasource: SOURCE,
        expr,
        legendFormat,
      }))
      const gridPos = { x: (i % 3) * WIDTH, y: y + Math.floor(i / 3) * HEIGHT, w: WIDTH, h: HEIGHT }
      const fieldConfig = { defaults: { unit, min: 0 }, overrides: [] }
      panels.push({ id: id++, type: 'timeseries', title: name, datasource: SOURCE, fieldConfig, gridPos, targets })
    }
    y += Math.ceil(list.length / 3) * HEIGHT
  }
  return {
    uid: 'tessera',
    title: 'Tessera',
    tags: ['tessera'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' },
        variable('job', 'label_values(tessera_up, job)'),
        variable('instance', 'label_values(tessera_up{job=~"$job"}, instance)'),
      ],
    },
    panels,
  }
}

const variable = (name: string, query: string): object => ({
  name,
  type: 'query',
  datasource: SOURCE,
  query: { query, refId: name },
  definition: query,
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
  refresh: 2,
})

const ALERTS = `# Alerts for Prometheus: put this file under rule_files. They expect a scrape job with the name "tessera".
groups:
  - name: tessera
    rules:
      - alert: TesseraDown
        expr: up{job="tessera"} == 0 or tessera_up == 0
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: '{{ $labels.instance }} does not answer or is not healthy. See its log and GET /actuator/health.'
      - alert: TesseraProcessLost
        expr: max by (job) (tessera_processes{job="tessera",state="LOST"}) > 0
        labels: { severity: warning }
        annotations:
          summary: 'A process was killed, or its machine does not answer; others go on. See GET /api/admin/processes.'
      - alert: TesseraErrors
        expr: |
          sum by (job) (rate(tessera_http_requests_total{status=~"5.."}[5m]))
            > 0.01 * sum by (job) (rate(tessera_http_requests_total[5m]))
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: 'More than 1 % of the requests fail. See the lines of the log at level error.'
      - alert: TesseraLogErrors
        expr: increase(tessera_log_lines_total{level="error"}[5m]) > 0
        labels: { severity: warning }
        annotations:
          summary: '{{ $labels.instance }} has written lines of the log at level error.'
      - alert: TesseraSlow
        expr: histogram_quantile(0.99, sum by (job, le) (rate(tessera_http_request_duration_seconds_bucket[5m]))) > 1
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: 'One of 100 requests takes more than a second.'
      - alert: TesseraDiskNearlyFull
        expr: tessera_disk_free_bytes < 2e9
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: 'Less than 2 GB are free for the data directory of {{ $labels.instance }}.'
      - alert: TesseraCertificateExpires
        expr: tessera_certificate_expires_seconds < 3 * 86400
        for: 1h
        labels: { severity: warning }
        annotations:
          summary: 'The certificate of {{ $labels.instance }} was not renewed. See the warnings in its log and tessera doctor.'
      - alert: TesseraWritesRefused
        expr: increase(tessera_writes_refused_total[5m]) > 0
        labels: { severity: critical }
        annotations:
          summary: 'The storage of {{ $labels.instance }} refuses writes: {{ $labels.cause }}.'
      - alert: TesseraOutboxDelayed
        expr: tessera_outbox_oldest_seconds > 600
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: 'A mail or SMS has waited for ten minutes. See tessera test-mail and tessera test-sms.'
      - alert: TesseraBackupOverdue
        expr: max by (job) (tessera_backup_overdue) == 1
        for: 1h
        labels: { severity: critical }
        annotations:
          summary: 'The schedule of backups is on, and there is no good backup of its last two intervals.'
      - alert: TesseraConflicts
        expr: rate(tessera_db_conflicts_total[5m]) > 50
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: 'PostgreSQL rolls back many writes of {{ $labels.instance }}, which are run again.'
      - alert: TesseraConnectionsUsedUp
        expr: tessera_db_waiting > 20
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: '{{ $labels.instance }} waits for connections of the pool {{ $labels.pool }}: raise TESSERA_DATABASE_CONNECTIONS.'
      - alert: TesseraReplicaBehind
        expr: tessera_replica_delay_seconds > 30
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: 'The replica for reads of {{ $labels.instance }} is away or behind: the primary is read instead.'
      - alert: TesseraBehind
        expr: tessera_caught_up_seconds > 5
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: '{{ $labels.instance }} does not read the changes of the other processes.'
`
