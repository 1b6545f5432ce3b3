/** Contact requests that the user received and sent. */

import { Inbox } from '@mui/icons-material'
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Link as MuiLink,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { ContactRequest } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'

const words = texts({
  en: {
    ...common.en,
    incoming: 'Received',
    outgoing: 'Sent',
    noIncoming: 'Nobody has asked you yet',
    noIncomingText: 'Requests of people who have your card, or who found you, appear here.',
    noOutgoing: 'You have sent no request.',
    sources: {
      SEARCH: 'by address or number',
      QR_CODE: 'by your card',
      CARD: 'by a card in a chat',
      ORG: 'from a common organization',
      OTHER: '',
    },
    states: { PENDING: 'waits for an answer', ACCEPTED: 'accepted', REJECTED: 'declined', EXPIRED: 'expired' },
    accept: 'Accept',
    acceptOf: (name: string) => `Accept ${name}`,
    accepted: 'You are contacts now.',
    decline: 'Decline',
    declineOf: (name: string) => `Decline ${name}`,
    declineTitle: (name: string) => `Decline the request of ${name}?`,
    declineText: 'The person is not notified, and can ask again after a day. If you also block them, they cannot.',
    block: 'Decline and block',
    declined: 'The request is declined.',
  },
  zh: {
    ...common.zh,
    incoming: '收到的申请',
    outgoing: '发出的申请',
    noIncoming: '还没有人申请加你',
    noIncomingText: '持有你名片或找到你的人发来的申请会显示在这里。',
    noOutgoing: '你还没有发出申请。',
    sources: {
      SEARCH: '通过邮箱或手机号',
      QR_CODE: '通过名片',
      CARD: '通过聊天中的名片',
      ORG: '来自共同组织',
      OTHER: '',
    },
    states: { PENDING: '待答复', ACCEPTED: '已同意', REJECTED: '已拒绝', EXPIRED: '已过期' },
    accept: '同意',
    acceptOf: (name: string) => `同意“${name}”`,
    accepted: '你们已成为联系人。',
    decline: '拒绝',
    declineOf: (name: string) => `拒绝“${name}”`,
    declineTitle: (name: string) => `拒绝“${name}”的申请？`,
    declineText: '对方不会收到通知，一天后可再次申请。若同时拉黑，对方将无法再申请。',
    block: '拒绝并拉黑',
    declined: '已拒绝申请。',
  },
})

export function Requests() {
  const t = useTexts(words)
  const incoming = usePages('contacts.incoming')
  const outgoing = usePages('contacts.outgoing')
  return (
    <>
      <Section title={t.incoming}>
        <Rows
          query={incoming}
          label={t.incoming}
          keyOf={({ id }) => id}
          empty={<EmptyState icon={Inbox} title={t.noIncoming} text={t.noIncomingText} />}
        >
          {(request) => <Incoming request={request} />}
        </Rows>
      </Section>
      <Section title={t.outgoing}>
        <Rows query={outgoing} label={t.outgoing} keyOf={({ id }) => id} empty={t.noOutgoing}>
          {(request) => <Row title={<Person request={request} />} />}
        </Rows>
      </Section>
    </>
  )
}

function Person({ request }: { request: ContactRequest }) {
  const t = useTexts(words)
  const { direction, nickname, avatarUrl, message, source, status, contactId, createdAt } = request
  const facts = [
    relativeTime(createdAt),
    direction === 'INCOMING' ? t.sources[source] : '',
    direction === 'INCOMING' && status === 'PENDING' ? '' : t.states[status],
  ]
  return (
    <Named
      name={nickname}
      url={avatarUrl}
      details={
        <>
          {facts.filter((fact) => fact !== '').join(' · ')}
          {message !== '' && (
            <Typography variant="body2" color="text.primary" sx={{ whiteSpace: 'pre-line' }}>
              {message}
            </Typography>
          )}
        </>
      }
    >
      {contactId === null ? (
        nickname
      ) : (
        <MuiLink component={Link} to={`/contacts/${contactId}`}>
          {nickname}
        </MuiLink>
      )}
    </Named>
  )
}

function Incoming({ request }: { request: ContactRequest }) {
  const t = useTexts(words)
  const may = useMay()
  const [isDeclining, setDeclining] = useState(false)
  const accept = useAction('contacts.accept', { done: t.accepted })
  const decline = useAction('contacts.reject', { done: t.declined, onDone: () => setDeclining(false) })
  const { id, nickname, status } = request
  const params = { id }
  const actions = status === 'PENDING' && may('contacts.accept') && (
    <>
      <Button color="error" aria-label={t.declineOf(nickname)} onClick={() => setDeclining(true)}>
        {t.decline}
      </Button>
      <Button
        variant="contained"
        aria-label={t.acceptOf(nickname)}
        loading={accept.isPending}
        onClick={() => accept.mutate({ params, body: {} })}
      >
        {t.accept}
      </Button>
    </>
  )
  return (
    <>
      <Row title={<Person request={request} />} actions={actions} />
      <Dialog
        open={isDeclining}
        onClose={() => setDeclining(false)}
        fullWidth
        maxWidth="xs"
        aria-labelledby="decline-title"
        aria-describedby="decline-text"
      >
        <DialogTitle id="decline-title">{t.declineTitle(nickname)}</DialogTitle>
        <DialogContent>
          <DialogContentText id="decline-text">{t.declineText}</DialogContentText>
        </DialogContent>
        <DialogActions sx={{ flexWrap: 'wrap' }}>
          <Button onClick={() => setDeclining(false)} autoFocus>
            {t.cancel}
          </Button>
          <Button
            color="error"
            loading={decline.isPending}
            onClick={() => decline.mutate({ params, body: { block: true } })}
          >
            {t.block}
          </Button>
          <Button
            color="error"
            variant="contained"
            loading={decline.isPending}
            onClick={() => decline.mutate({ params, body: {} })}
          >
            {t.decline}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}
