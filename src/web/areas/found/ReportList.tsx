/** The reports of finders about things of the workspace, newest first. */

import { Inbox } from '@mui/icons-material'
import { Button, Chip, Link as MuiLink, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { FoundReport, FoundStatus } from '../../api/types.ts'
import { dateTime, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { foundWords } from './words.ts'

const words = texts({
  en: {
    filter: 'Status',
    empty: 'Nobody has written yet',
    emptyText:
      'Open an asset or a QR code and change “If lost”: its public page then shows finders a form. Their messages appear here.',
    noneOpen: 'No open messages',
    none: 'Nothing matches',
    noneText: 'No message has this status.',
  },
  zh: {
    filter: '状态',
    empty: '还没有留言',
    emptyText: '打开资产或二维码，更改“丢失时”，其公开页面便会向捡到的人显示留言表单。收到的留言会显示在这里。',
    noneOpen: '没有待处理的留言',
    none: '没有符合的留言',
    noneText: '没有此状态的留言。',
  },
})

const NO_FILTERS = { status: 'OPEN' as FoundStatus | 'ALL' }

export default function ReportList() {
  const t = useTexts(foundWords)
  const own = useTexts(words)
  const { filters, set } = useFilters(NO_FILTERS)
  const { status } = filters
  const list = usePages('found.reports', { query: { ...useOwnerQuery(), ...(status !== 'ALL' && { status }) } })
  return (
    <Page title={t.title} width="form">
      <ToggleButtonGroup
        exclusive
        size="small"
        value={status}
        aria-label={own.filter}
        onChange={(_, next: FoundStatus | 'ALL' | null) => next !== null && set({ status: next })}
        sx={{ mb: 2, flexWrap: 'wrap' }}
      >
        {(['OPEN', 'RETURNED', 'CLOSED'] as const).map((one) => (
          <ToggleButton key={one} value={one} sx={{ px: 2 }}>
            {t.states[one]}
          </ToggleButton>
        ))}
        <ToggleButton value="ALL" sx={{ px: 2 }}>
          {t.all}
        </ToggleButton>
      </ToggleButtonGroup>
      <Section>
        <Rows
          query={list}
          label={t.title}
          keyOf={({ id }) => id}
          empty={
            status === 'ALL' ? (
              <EmptyState icon={Inbox} title={own.empty} text={own.emptyText} />
            ) : (
              <EmptyState
                icon={Inbox}
                title={status === 'OPEN' ? own.noneOpen : own.none}
                text={status === 'OPEN' ? own.emptyText : own.noneText}
                action={<Button onClick={() => set({ status: 'ALL' })}>{t.all}</Button>}
              />
            )
          }
        >
          {(report) => <ReportRow report={report} />}
        </Rows>
      </Section>
    </Page>
  )
}

function ReportRow({ report: { id, title, status, messages, updatedAt } }: { report: FoundReport }) {
  const t = useTexts(foundWords)
  const newest = messages.at(-1)
  return (
    <Row
      title={
        <MuiLink component={Link} to={`/found/${id}`} sx={{ fontWeight: status === 'OPEN' ? 650 : 400 }}>
          <bdi>{title}</bdi>
        </MuiLink>
      }
      details={
        newest && (
          <>
            <Typography
              variant="body2"
              color="text.primary"
              dir="auto"
              sx={{
                display: '-webkit-box',
                WebkitLineClamp: 2,
                WebkitBoxOrient: 'vertical',
                overflow: 'hidden',
                overflowWrap: 'anywhere',
              }}
            >
              {newest.text}
            </Typography>
            <span title={dateTime(updatedAt)}>
              {newest.fromOwner ? t.owner : t.finder} · {relativeTime(newest.at)}
            </span>
          </>
        )
      }
      actions={status !== 'OPEN' && <Chip size="small" variant="outlined" label={t.states[status]} />}
    />
  )
}
