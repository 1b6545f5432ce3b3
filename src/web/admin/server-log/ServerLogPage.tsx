/** The newest lines of the log of the server, by process, level, text and request; on request it follows new lines. */

import { ArticleOutlined } from '@mui/icons-material'
import { Alert, Box, Card, FormControlLabel, Stack, Switch, TextField, Typography } from '@mui/material'
import { useEffect, useState } from 'react'

import { call } from '../../api/client.ts'
import { useCall } from '../../api/hooks.ts'
import type { ServerLog } from '../../api/types.ts'
import { dateFormat } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { useFilters } from '../../ui/use-filters.ts'

const words = texts({
  en: {
    title: 'Server log',
    about: (host: string, pid: number) =>
      `The newest lines of process ${pid} on ${host}. Older lines are in the log files of the server.`,
    aboutAll: (count: number) =>
      `The newest lines of the ${count} processes of this server. Older lines are in its log files.`,
    aboutOne: (id: string, host: string) =>
      `The newest lines of process ${id} on ${host}. Older lines are in the log files of the server.`,
    process: 'Process',
    allProcesses: 'All processes',
    unanswered: (ids: string) => `These processes did not answer, so their lines are missing: ${ids}`,
    level: 'Level',
    levels: { debug: 'Details', info: 'Information', warn: 'Warnings', error: 'Errors' },
    text: 'Text',
    request: 'Request id',
    follow: 'Follow new lines',
    notWritten: (level: string) => `This server writes lines from the level “${level}” on (TESSERA_LOG_LEVEL).`,
    empty: 'No line matches',
    emptyText: 'Lower the level or clear the text.',
    more: 'There are older lines that match. Narrow the search to see them.',
  },
  zh: {
    title: '服务器日志',
    about: (host: string, pid: number) => `${host} 上进程 ${pid} 的最新日志，更早的日志在服务器的日志文件中。`,
    aboutAll: (count: number) => `此服务器 ${count} 个进程的最新日志，更早的日志在日志文件中。`,
    aboutOne: (id: string, host: string) => `${host} 上进程 ${id} 的最新日志，更早的日志在服务器的日志文件中。`,
    process: '进程',
    allProcesses: '所有进程',
    unanswered: (ids: string) => `以下进程没有响应，缺少其日志行：${ids}`,
    level: '最低级别',
    levels: { debug: '细节', info: '信息', warn: '警告', error: '错误' },
    text: '文本',
    request: '请求编号',
    follow: '跟踪新行',
    notWritten: (level: string) => `此服务器只写入“${level}”及以上级别的日志（TESSERA_LOG_LEVEL）。`,
    empty: '没有匹配的日志行',
    emptyText: '请选择更低的级别，或清除搜索文本。',
    more: '还有更早的匹配行，请缩小搜索范围。',
  },
})

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]
const MOST_LINES = 500
/** Milliseconds between two questions for new lines. */
const FOLLOW = 2500

export default function ServerLogPage() {
  const t = useTexts(words)
  const { filters, set } = useFilters({
    process: '',
    level: 'info' as Level,
    text: '',
    requestId: '',
    isFollowing: false,
  })
  const { process, level, text, requestId, isFollowing } = filters
  const filter = {
    level,
    limit: 200,
    ...(process && { process }),
    ...(text.trim() && { text: text.trim() }),
    ...(requestId.trim() && { requestId: requestId.trim() }),
  }
  const query = useCall('serverLog.list', { query: filter }, { keepPrevious: true })
  return (
    <Page title={t.title} width="full">
      <Stack direction="row" useFlexGap spacing={1.5} sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 2 }}>
        <ProcessField value={process} log={query.data} onChange={(next) => set({ process: next })} />
        <ChoiceField
          label={t.level}
          value={level}
          onChange={(next) => set({ level: next })}
          sx={{ minWidth: 140 }}
          choices={LEVELS.map((id) => ({ id, name: t.levels[id] }))}
        />
        <TextField
          type="search"
          label={t.text}
          value={text}
          onChange={({ target }) => set({ text: target.value })}
          sx={{ flex: 1, minWidth: 160 }}
        />
        <TextField
          label={t.request}
          value={requestId}
          onChange={({ target }) => set({ requestId: target.value })}
          sx={{ flex: 1, minWidth: 140 }}
        />
        <FormControlLabel
          control={<Switch checked={isFollowing} onChange={({ target }) => set({ isFollowing: target.checked })} />}
          label={t.follow}
        />
      </Stack>
      <Answer query={query}>
        {(log) => (
          <Lines
            key={`${JSON.stringify(filter)} ${query.dataUpdatedAt}`}
            log={log}
            filter={filter}
            isFollowing={isFollowing}
          />
        )}
      </Answer>
    </Page>
  )
}

interface ProcessFieldProps {
  value: string
  log: ServerLog | undefined
  onChange: (id: string) => void
}

/** Hidden if there is only one process, unless another one was chosen before. */
function ProcessField({ value, log, onChange }: ProcessFieldProps) {
  const t = useTexts(words)
  const processes = log?.processes ?? []
  if (processes.length < 2 && value === '') return null
  const known = processes.some(({ id }) => id === value) || value === '' ? [] : [{ id: value, name: value }]
  return (
    <ChoiceField
      label={t.process}
      value={value}
      onChange={onChange}
      sx={{ minWidth: 160 }}
      choices={[
        { id: '', name: t.allProcesses },
        ...processes.map(({ id, host }) => ({ id, name: `${id} · ${host}` })),
        ...known,
      ]}
    />
  )
}

interface LinesProps {
  log: ServerLog
  filter: { process?: string; level: Level; text?: string; requestId?: string }
  isFollowing: boolean
}

const keyOf = ({ process, id }: ServerLog['items'][number]): string => `${process} ${id}`

/** The lines of both, each once: those of a process whose clock is ahead come again. */
function joined(before: ServerLog, next: ServerLog): ServerLog {
  const known = new Set(before.items.map(keyOf))
  const items = [...before.items, ...next.items.filter((line) => !known.has(keyOf(line)))]
  return { ...next, items: items.toSorted((a, b) => a.id - b.id).slice(-MOST_LINES) }
}

/** The newest line is at the top, where the page is opened. */
function Lines({ log, filter, isFollowing }: LinesProps) {
  const t = useTexts(words)
  const [shown, setShown] = useState(log)
  const key = JSON.stringify(filter)
  useEffect(() => {
    if (!isFollowing) return
    let isGone = false
    let last = log
    const timer = setInterval(async () => {
      try {
        const query = { ...(JSON.parse(key) as typeof filter), since: last.lastId }
        last = joined(last, await call('serverLog.list', { query }))
        if (!isGone) setShown(last)
      } catch {
        // The server may be restarting: the next question is asked anyway.
      }
    }, FOLLOW)
    return () => {
      isGone = true
      clearInterval(timer)
    }
  }, [isFollowing, key, log])
  const { process, processes, unanswered, items, level, hasMore } = shown
  const chosen = processes.find(({ id }) => id === filter.process)
  const isOne = processes.length === 1
  return (
    <>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {isOne
          ? t.about(process.host, process.pid)
          : chosen === undefined
            ? t.aboutAll(processes.length)
            : t.aboutOne(chosen.id, chosen.host)}
      </Typography>
      {unanswered.length > 0 && (
        <Alert severity="warning" sx={{ mb: 1 }}>
          {t.unanswered(unanswered.join(', '))}
        </Alert>
      )}
      {LEVELS.indexOf(filter.level) < LEVELS.indexOf(level) && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t.notWritten(t.levels[level])}
        </Alert>
      )}
      <Card>
        {items.length === 0 ? (
          <EmptyState icon={ArticleOutlined} title={t.empty} text={t.emptyText} />
        ) : (
          <Box component="ol" aria-label={t.title} reversed sx={{ listStyle: 'none', m: 0, p: 0 }}>
            {items.toReversed().map((line) => (
              <Line key={keyOf(line)} line={line} isOne={isOne} />
            ))}
          </Box>
        )}
      </Card>
      {hasMore && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {t.more}
        </Typography>
      )}
    </>
  )
}

function Line({ line, isOne }: { line: ServerLog['items'][number]; isOne: boolean }) {
  const { process, time, level, message, details, requestId } = line
  const t = useTexts(words)
  const at = dateFormat({ dateStyle: 'short', timeStyle: 'medium' }).format(time)
  return (
    <Box component="li" sx={{ px: 2, py: 1, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
      <Typography variant="caption" color="text.secondary" component="div">
        {at} ·{' '}
        <Box component="span" sx={{ ...(level === 'error' && { color: 'error.main' }), fontWeight: 600 }}>
          {t.levels[level]}
        </Box>
        {!isOne && ` · ${process}`}
        {requestId !== null && ` · ${requestId}`}
      </Typography>
      <Box sx={{ overflowWrap: 'anywhere' }}>{message}</Box>
      {details !== '' && (
        <Box component="details" sx={{ '&[open] summary': { mb: 0.5 } }}>
          <Box
            component="summary"
            sx={{ cursor: 'pointer', color: 'text.secondary', fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
          >
            {details.split('\n')[0]!.slice(0, 160)}
          </Box>
          <Box component="pre" sx={{ m: 0, fontSize: '0.8125rem', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {details}
          </Box>
        </Box>
      )}
    </Box>
  )
}
