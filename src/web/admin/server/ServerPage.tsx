/** The processes of the server, with their state and load, and its other parts. */

import { Box, Stack, Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { ServerProcess } from '../../api/types.ts'
import { bytes, dateTime, number, relativeTime, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { NewerVersion } from './NewerVersion.tsx'
import { RestartButton } from './RestartButton.tsx'
import { StartNotices } from './StartNotices.tsx'
import { SystemParts } from './SystemParts.tsx'

const words = texts({
  en: {
    title: 'Server',
    processes: 'Processes',
    about: 'Programs that answer the requests of this server together. A process that was stopped leaves the list.',
    process: (id: string) => `Process ${id}`,
    state: { UP: 'Works', DRAINING: 'Is stopping', LOST: 'Lost' },
    closed: 'Is starting',
    lost: 'It was killed, or its machine does not answer. It leaves the list after an hour.',
    since: 'Runs since',
    seen: 'Last report',
    requests: 'Requests a second',
    sockets: 'Open connections',
    memory: 'Memory',
    jobs: 'Background work',
    hasJobs: 'Runs here',
    hasNoJobs: 'Runs in another process',
  },
  zh: {
    title: '服务器',
    processes: '进程',
    about: '共同处理此服务器请求的程序。已停止的进程不再显示。',
    process: (id: string) => `进程 ${id}`,
    state: { UP: '正常', DRAINING: '正在停止', LOST: '失联' },
    closed: '正在启动',
    lost: '进程被强制结束，或所在机器无响应。一小时后不再显示。',
    since: '启动时间',
    seen: '最近报告',
    requests: '每秒请求数',
    sockets: '实时连接',
    memory: '内存',
    jobs: '后台任务',
    hasJobs: '在此运行',
    hasNoJobs: '在其他进程运行',
  },
})

/** Milliseconds between two readings. */
const EVERY = 5000

const TONES: Readonly<Record<ServerProcess['state'], Tone>> = { UP: 'good', DRAINING: 'warning', LOST: 'bad' }

export default function ServerPage() {
  const t = useTexts(words)
  const query = useCall('processes.list', {}, { every: EVERY })
  return (
    <Page title={t.title} actions={<RestartButton />}>
      <StartNotices />
      <Section title={t.processes} text={t.about}>
        <Answer query={query}>
          {({ items }) => (
            <Box component="ul" aria-label={t.processes} sx={{ listStyle: 'none', m: 0, p: 0 }}>
              {items.map((one) => (
                <Box
                  key={one.id}
                  component="li"
                  sx={{ '& + &': { borderTop: 1, borderColor: 'divider', mt: 2, pt: 2 } }}
                >
                  <Process process={one} />
                </Box>
              ))}
            </Box>
          )}
        </Answer>
      </Section>
      <NewerVersion />
      <SystemParts />
    </Page>
  )
}

function Process({ process }: { process: ServerProcess }) {
  const t = useTexts(words)
  const { id, host, version, state, listening, startedAt, lastSeenAt, hasJobs } = process
  const isStarting = state === 'UP' && !listening
  return (
    <>
      <Stack
        direction="row"
        useFlexGap
        sx={{ flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.5, mb: 1 }}
      >
        <Box sx={{ flex: 1, minWidth: 200 }}>
          <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{host}</Typography>
          <Typography variant="body2" color="text.secondary">
            {t.process(id)} · {version}
          </Typography>
        </Box>
        <Status tone={isStarting ? 'warning' : TONES[state]} text={isStarting ? t.closed : t.state[state]} />
      </Stack>
      {state === 'LOST' ? (
        <>
          <Typography variant="body2" sx={{ mb: 1 }}>
            {t.lost}
          </Typography>
          <Facts items={[[t.seen, withNote(dateTime(lastSeenAt), relativeTime(lastSeenAt))]]} />
        </>
      ) : (
        <Facts
          items={[
            [t.requests, number(process.requestsPerSecond)],
            [t.sockets, number(process.sockets)],
            [t.memory, bytes(process.memoryBytes)],
            [t.jobs, hasJobs ? t.hasJobs : t.hasNoJobs],
            [t.since, withNote(dateTime(startedAt), relativeTime(startedAt))],
          ]}
        />
      )}
    </>
  )
}
