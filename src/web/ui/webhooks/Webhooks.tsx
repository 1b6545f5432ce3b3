/** Webhooks of the user, of an organization, or of the server: a list with their health, and what one does with them. */

import { Add, Webhook as WebhookIcon } from '@mui/icons-material'
import { Alert, Button, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { wordOf } from '../../i18n/enums.ts'
import { labelled, relativeTime, withNote } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState } from '../Answer.tsx'
import { useCopy } from '../copy.ts'
import { ConfirmDialog, NoticeDialog } from '../dialogs.tsx'
import { Section } from '../parts.tsx'
import { Row, Rows } from '../Rows.tsx'
import { Status, type Tone } from '../Status.tsx'
import { Deliveries } from './Deliveries.tsx'
import type { Webhook, Whose } from './schema.ts'
import { WebhookForm } from './WebhookForm.tsx'
import { words } from './words.ts'

type Health = 'good' | 'bad' | 'off' | 'idle'
const TONES: Readonly<Record<Health, Tone>> = { good: 'good', bad: 'bad', off: 'neutral', idle: 'neutral' }

function healthOf({ enabled, lastSuccessAt, lastFailureAt }: Webhook): Health {
  if (!enabled) return 'off'
  if (lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? 0)) return 'bad'
  return lastSuccessAt === null ? 'idle' : 'good'
}

/** The dialog that is open. */
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'log' | 'delete' | 'renew'; readonly webhook: Webhook }
  | { readonly kind: 'secret'; readonly title: string; readonly secret: string }

export function Webhooks({ orgId, isOfServer = false }: Whose) {
  const t = useTexts(words)
  const query = orgId === undefined ? {} : { query: { orgId } }
  const list = usePages(isOfServer ? 'webhooks.listOfServer' : 'webhooks.list', query, { every: 10_000 })
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const mayChange = useMay()(isOfServer ? 'webhooks.updateOfServer' : 'webhooks.update')
  const test = useAction(isOfServer ? 'webhooks.testOfServer' : 'webhooks.test', { done: t.tested })
  return (
    <Section
      title={t.title}
      text={t.text}
      actions={
        mayChange && (
          <Button variant="outlined" startIcon={<Add />} onClick={() => setOpen({ kind: 'new' })}>
            {t.add}
          </Button>
        )
      }
    >
      <Rows
        query={list}
        label={t.title}
        empty={<EmptyState icon={WebhookIcon} title={t.none} text={t.noneText} />}
        keyOf={({ id }) => id}
      >
        {(webhook) => (
          <WebhookRow
            webhook={webhook}
            mayChange={mayChange}
            onOpen={(kind) => setOpen({ kind, webhook })}
            onTest={() => test.mutate({ params: { id: webhook.id } })}
          />
        )}
      </Rows>
      {(open?.kind === 'new' || open?.kind === 'edit') && (
        <WebhookForm
          webhook={open.kind === 'edit' ? open.webhook : undefined}
          whose={{ ...(orgId !== undefined && { orgId }), isOfServer }}
          onClose={close}
          onMade={({ name, secret }) => setOpen({ kind: 'secret', title: labelled(t.made, name), secret })}
        />
      )}
      {open?.kind === 'log' && <Deliveries webhook={open.webhook} isOfServer={isOfServer} onClose={close} />}
      {open?.kind === 'delete' && <Delete webhook={open.webhook} isOfServer={isOfServer} onClose={close} />}
      {open?.kind === 'renew' && (
        <Renew
          webhook={open.webhook}
          isOfServer={isOfServer}
          onClose={close}
          onDone={(secret) => setOpen({ kind: 'secret', title: t.secret, secret })}
        />
      )}
      {open?.kind === 'secret' && <Secret title={open.title} secret={open.secret} onClose={close} />}
    </Section>
  )
}

interface RowProps {
  webhook: Webhook
  mayChange: boolean
  onOpen: (kind: 'edit' | 'log' | 'delete' | 'renew') => void
  onTest: () => void
}

function WebhookRow({ webhook, mayChange, onOpen, onTest }: RowProps) {
  const t = useTexts(words)
  const { name, url, events, enabled, disabledReason, pending, lastSuccessAt } = webhook
  const health = healthOf(webhook)
  const reason = disabledReason !== null && wordOf('webhookReason', disabledReason)
  const facts = [
    events.map((event) => (event === '*' ? t.all : event)).join(', '),
    pending > 0 && t.waiting(pending),
    lastSuccessAt !== null && t.last(relativeTime(lastSuccessAt)),
  ]
  const button = (label: string, onClick: () => void, color?: 'error') => (
    <Button key={label} size="small" {...(color && { color })} aria-label={`${label}: ${name}`} onClick={onClick}>
      {label}
    </Button>
  )
  return (
    <Row
      title={
        <>
          <Typography component="span" sx={{ fontWeight: 600, mr: 1 }}>
            {name}
          </Typography>
          <Status tone={TONES[health]} text={withNote(t.health[health], reason)} />
        </>
      }
      details={
        <>
          <div>{url}</div>
          {facts.filter(Boolean).join(' · ')}
        </>
      }
      actions={
        <>
          {button(t.log, () => onOpen('log'))}
          {mayChange && enabled && button(t.test, onTest)}
          {mayChange && button(t.edit, () => onOpen('edit'))}
          {mayChange && button(t.renew, () => onOpen('renew'))}
          {mayChange && button(t.remove, () => onOpen('delete'), 'error')}
        </>
      }
    />
  )
}

interface OneProps {
  webhook: Webhook
  isOfServer: boolean
  onClose: () => void
}

function Delete({ webhook: { id, name }, isOfServer, onClose }: OneProps) {
  const t = useTexts(words)
  const action = useAction(isOfServer ? 'webhooks.deleteOfServer' : 'webhooks.delete', {
    done: t.removed,
    quiet: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      title={t.removeOf(name)}
      text={t.removeText}
      action={t.remove}
      isBusy={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate({ params: { id } })}
      onClose={onClose}
    />
  )
}

function Renew({ webhook: { id }, isOfServer, onClose, onDone }: OneProps & { onDone: (secret: string) => void }) {
  const t = useTexts(words)
  const action = useAction(isOfServer ? 'webhooks.renewSecretOfServer' : 'webhooks.renewSecret', {
    quiet: true,
    onDone: ({ secret }) => onDone(secret),
  })
  return (
    <ConfirmDialog
      isOpen
      title={t.renew}
      text={t.renewText}
      action={t.renew}
      isBusy={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate({ params: { id } })}
      onClose={onClose}
    />
  )
}

function Secret({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const t = useTexts(words)
  const copy = useCopy()
  return (
    <NoticeDialog title={title} action={t.kept} isOnlyOnce onClose={onClose} maxWidth="sm">
      <Alert severity="warning">{t.secretText}</Alert>
      <Typography component="code" sx={{ fontFamily: 'monospace', overflowWrap: 'anywhere', userSelect: 'all' }}>
        {secret}
      </Typography>
      <Button variant="outlined" onClick={() => copy(secret)} sx={{ alignSelf: 'flex-start' }}>
        {t.copy}
      </Button>
    </NoticeDialog>
  )
}
