/** The conversation with someone who found a thing. */

import { CheckCircleOutlined, Delete, DoNotDisturbOn, Inbox, LockOpen, Send } from '@mui/icons-material'
import { Alert, Box, Button, Link as MuiLink, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { FoundMessage, FoundReport } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { date, dateTime } from '../../i18n/format.ts'
import { things } from '../../i18n/things.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { Form } from '../../ui/Form.tsx'
import { MapLink } from '../../ui/MapLink.tsx'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { foundWords } from './words.ts'

const words = texts({
  en: {
    answer: 'Your answer',
    send: 'Send answer',
    sent: 'The answer was sent.',
    help: 'The finder reads it on the page of the conversation, and does not learn your name or address unless you write them. Never pay to get a thing back, and meet in public places.',
    contact: 'Contact of the finder',
    position: 'Position of the finder',
    accuracy: (metres: number) => `(± ${metres} m)`,
    positionHelp: 'It is deleted 30 days after the report.',
    ends: 'Conversation ends',
    returned: 'I have it back',
    isReturned: 'You have it back.',
    close: 'Close',
    closeTitle: 'Close this conversation?',
    closeText: 'Neither side can write any longer. You can open it again.',
    reopen: 'Open again',
    closed: 'You have closed the conversation.',
    ended: 'The conversation has ended: nobody has written for 30 days.',
    deleteTitle: 'Delete this report?',
    deleteText: 'The conversation is deleted for both sides. This cannot be undone.',
    deleted: 'The report was deleted.',
    report: 'Message of a finder',
    missing: 'This message no longer exists',
    missingText: 'Somebody who shares the thing with you has deleted it, or you may not see it.',
  },
  zh: {
    answer: '回复内容',
    send: '发送回复',
    sent: '回复已发送。',
    help: '对方会在对话页面看到回复。除非你主动填写，对方不会得知你的姓名和联系方式。切勿为取回物品付款，请在公共场所见面。',
    contact: '对方的联系方式',
    position: '对方的位置',
    accuracy: (metres: number) => `（±${metres} 米）`,
    positionHelp: '位置将在收到留言 30 天后删除。',
    ends: '对话结束时间',
    returned: '已取回',
    isReturned: '你已取回此物品。',
    close: '关闭对话',
    closeTitle: '关闭此对话？',
    closeText: '双方都不能再发送消息。你可以重新打开对话。',
    reopen: '重新打开',
    closed: '你已关闭此对话。',
    ended: '对话已结束：30 天内无人留言。',
    deleteTitle: '删除此留言？',
    deleteText: '双方的对话都会被删除，此操作无法撤销。',
    deleted: '留言已删除。',
    report: '拾获留言',
    missing: '此留言已不存在',
    missingText: '可能已被有权管理该物品的其他人删除，或你无权查看。',
  },
})

export default function ReportPage() {
  const id = Number(useParams()['id'])
  const own = useTexts(words)
  const query = useCall('found.report', { params: { id } })
  if (query.error?.status === 404)
    return (
      <Page title={own.report} back="/found" width="form">
        <EmptyState icon={Inbox} title={own.missing} text={own.missingText} />
      </Page>
    )
  return <OwnedAnswer query={query}>{(report) => <Report report={report} />}</OwnedAnswer>
}

const UPDATES = { ASSET: 'assets.update', QR_CODE: 'qrCodes.update' } as const

function Report({ report }: { report: FoundReport }) {
  const own = useTexts(words)
  const may = useMay()
  const { kind, title, status, messages, endsAt } = report
  const mayAnswer = may(UPDATES[kind])
  const [openedAt] = useState(serverTime)
  const hasEnded = endsAt <= openedAt
  return (
    <Page title={title} back="/found" width="form" actions={mayAnswer && <Actions report={report} />}>
      {status === 'RETURNED' && (
        <Alert severity="success" sx={{ mb: 2 }}>
          {own.isReturned}
        </Alert>
      )}
      <Section>
        <FactsOf report={report} />
      </Section>
      <Section>
        <Stack component="ol" spacing={1.5} sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {messages.map((message) => (
            <Message key={`${message.at} ${message.fromOwner}`} message={message} />
          ))}
        </Stack>
      </Section>
      {status === 'CLOSED' || hasEnded ? (
        <Alert severity="info">{status === 'CLOSED' ? own.closed : own.ended}</Alert>
      ) : (
        mayAnswer && <Answer id={report.id} />
      )}
    </Page>
  )
}

function Actions({ report: { id, status } }: { report: FoundReport }) {
  const t = useTexts(foundWords)
  const own = useTexts(words)
  const navigate = useNavigate()
  const params = { id }
  // An asset that was lost is in use again.
  const change = useAction('found.changeStatus', { refreshes: ['found', 'assets'] })
  const set = (next: FoundReport['status']) => change.mutate({ params, body: { status: next } })
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
      {status === 'OPEN' ? (
        <>
          <Button
            variant="contained"
            startIcon={<CheckCircleOutlined />}
            loading={change.isPending}
            onClick={() => set('RETURNED')}
          >
            {own.returned}
          </Button>
          <ActionButton
            key="close"
            operation="found.changeStatus"
            input={{ params, body: { status: 'CLOSED' } }}
            label={own.close}
            icon={<DoNotDisturbOn />}
            color="primary"
            title={own.closeTitle}
            text={own.closeText}
          />
        </>
      ) : (
        <Button startIcon={<LockOpen />} loading={change.isPending} onClick={() => set('OPEN')}>
          {own.reopen}
        </Button>
      )}
      <ActionButton
        key="delete"
        operation="found.deleteReport"
        input={{ params }}
        label={t.delete}
        icon={<Delete />}
        title={own.deleteTitle}
        text={own.deleteText}
        done={own.deleted}
        // Not the report itself, which is 404 now.
        refreshes={['found.reports']}
        onDone={() => void navigate('/found', { replace: true })}
      />
    </Stack>
  )
}

function FactsOf({ report }: { report: FoundReport }) {
  const own = useTexts(words)
  const locale = useLocale()
  const { kind, targetId, title, contact, position, endsAt } = report
  const [path, thing] = kind === 'ASSET' ? ['assets', things.asset] : ['codes', things.qrCode]
  return (
    <Facts
      items={[
        [
          thing.one[locale],
          <MuiLink key="thing" component={Link} to={`/${path}/${targetId}`}>
            <bdi>{title}</bdi>
          </MuiLink>,
        ],
        [own.contact, contact && <bdi>{contact}</bdi>],
        [
          own.position,
          position && (
            <>
              <MapLink latitude={position.latitude} longitude={position.longitude} />{' '}
              {position.accuracy !== null && own.accuracy(Math.round(position.accuracy))}
              <Typography variant="caption" component="div" color="text.secondary">
                {own.positionHelp}
              </Typography>
            </>
          ),
        ],
        [own.ends, date(endsAt)],
      ]}
    />
  )
}

function Message({ message: { fromOwner, text, at } }: { message: FoundMessage }) {
  const t = useTexts(foundWords)
  return (
    <Box
      component="li"
      sx={{
        alignSelf: fromOwner ? 'flex-end' : 'flex-start',
        maxWidth: '85%',
        px: 1.5,
        py: 1,
        borderRadius: 2,
        border: 1,
        borderColor: fromOwner ? 'transparent' : 'divider',
        bgcolor: fromOwner ? 'background.tint' : 'background.paper',
      }}
    >
      <Typography dir="auto" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Typography>
      <Typography variant="caption" color="text.secondary">
        {fromOwner ? t.owner : t.finder} · {dateTime(at)}
      </Typography>
    </Box>
  )
}

function Answer({ id }: { id: number }) {
  const own = useTexts(words)
  const form = useForm(
    'found.answer',
    { message: '' },
    {
      done: own.sent,
      onDone: () => form.reset({ message: '' }),
      input: (body) => ({ params: { id }, body }),
    },
  )
  return (
    <Form form={form} action={own.send} icon={<Send />}>
      <TextField {...form.text('message', { label: own.answer, help: own.help })} multiline minRows={2} />
    </Form>
  )
}
