/** The database, the files, the background work and the limits of the server. */

import { Alert, Box, Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { System } from '../../api/types.ts'
import { bytes, dateTime, number, relativeTime, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Facts, Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    database: 'Database',
    kind: 'Program',
    kinds: { SQLITE: 'SQLite', POSTGRESQL: 'PostgreSQL' },
    size: 'Size',
    connections: 'Connections',
    connectionsOf: (open: string, most: string) => `${open} of ${most}, of all programs`,
    files: 'Files',
    storage: 'Place',
    storages: { LOCAL: 'A directory', OSS: 'An S3 bucket' },
    count: 'Number',
    free: 'Free for the data directory',
    jobs: 'Background work',
    jobsText: 'When each job last succeeded since the start of the server. One process runs the jobs for all.',
    never: 'Not yet',
    unanswered: (ids: string) => `These processes did not answer, so times may be missing: ${ids}`,
    limits: 'Limits of each process',
    limitsText: 'Each process counts these by itself, so that they multiply with the number of processes.',
    limit: {
      DATABASE_CONNECTIONS: 'Connections to the database',
      IMAGES: 'Images read at once',
      UPLOADS_OF_USER: 'Uploads of one user at once',
      UNSENT_SOCKET_BYTES: 'Waiting for slow clients',
      LOG_LINES: 'Lines of the log in memory',
    },
    twice: (lines: string) => `${lines} of requests, and as many others`,
  },
  zh: {
    database: '数据库',
    kind: '程序',
    kinds: { SQLITE: 'SQLite', POSTGRESQL: 'PostgreSQL' },
    size: '大小',
    connections: '连接数',
    connectionsOf: (open: string, most: string) => `${open} / ${most}（所有程序合计）`,
    files: '文件',
    storage: '位置',
    storages: { LOCAL: '目录', OSS: 'S3 存储桶' },
    count: '数量',
    free: '数据目录可用空间',
    jobs: '后台任务',
    jobsText: '服务器启动以来每个任务最近一次成功的时间。由一个进程为所有进程运行任务。',
    never: '尚未运行',
    unanswered: (ids: string) => `以下进程没有响应，可能缺少时间：${ids}`,
    limits: '每个进程的限制',
    limitsText: '以下各项由每个进程单独计数，总量随进程数增加。',
    limit: {
      DATABASE_CONNECTIONS: '数据库连接数',
      IMAGES: '同时读取的图片数',
      UPLOADS_OF_USER: '每位用户同时上传数',
      UNSENT_SOCKET_BYTES: '等待慢速客户端的数据',
      LOG_LINES: '内存中的日志行数',
    },
    twice: (lines: string) => `请求日志 ${lines} 行，其他日志 ${lines} 行`,
  },
})

/** Milliseconds between two readings. */
const EVERY = 60_000

export function SystemParts() {
  const query = useCall('system.get', {}, { every: EVERY })
  return <Answer query={query}>{(system) => <Parts system={system} />}</Answer>
}

function Parts({ system: { database, files, jobs, perProcess, unanswered } }: { system: System }) {
  const t = useTexts(words)
  const { connections } = database
  return (
    <>
      <Section title={t.database}>
        <Facts
          items={[
            [t.kind, `${t.kinds[database.kind]} ${database.version}`],
            [t.size, bytes(database.sizeBytes)],
            [t.connections, connections && t.connectionsOf(number(connections.open), number(connections.most))],
          ]}
        />
      </Section>
      <Section title={t.files}>
        <Facts
          items={[
            [t.storage, t.storages[files.storage]],
            [t.count, number(files.count)],
            [t.size, bytes(files.bytes)],
            [t.free, bytes(files.freeDiskBytes)],
          ]}
        />
      </Section>
      <Section title={t.jobs} text={t.jobsText}>
        {unanswered.length > 0 && (
          <Alert severity="warning" sx={{ mb: 2 }}>
            {t.unanswered(unanswered.join(', '))}
          </Alert>
        )}
        <Jobs jobs={jobs} />
      </Section>
      <Section title={t.limits} text={t.limitsText}>
        <Facts items={perProcess.map(({ name, most }) => [t.limit[name], limitText(name, most, t.twice)])} />
      </Section>
    </>
  )
}

function limitText(name: System['perProcess'][number]['name'], most: number, twice: (lines: string) => string): string {
  if (name === 'LOG_LINES') return twice(number(most))
  return name === 'UNSENT_SOCKET_BYTES' ? bytes(most) : number(most)
}

/** In as many columns as there is room for. */
function Jobs({ jobs }: { jobs: System['jobs'] }) {
  const t = useTexts(words)
  return (
    <Box
      component="ul"
      aria-label={t.jobs}
      sx={{
        listStyle: 'none',
        m: 0,
        p: 0,
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: 'repeat(auto-fill, minmax(260px, 1fr))',
      }}
    >
      {jobs.map(({ name, lastSuccessAt: time }) => (
        <Box key={name} component="li">
          <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            {name}
          </Typography>
          <Typography variant="body2" color="text.secondary">
            {time === null ? t.never : withNote(dateTime(time), relativeTime(time))}
          </Typography>
        </Box>
      ))}
    </Box>
  )
}
