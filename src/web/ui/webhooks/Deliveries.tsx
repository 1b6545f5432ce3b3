/** The deliveries of a webhook with their attempts, and a button that sends them again. */

import { Box, Button, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { dateTime, relativeTime } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { ErrorNotice, Loading } from '../Answer.tsx'
import { NoticeDialog } from '../dialogs.tsx'
import { Row, Rows } from '../Rows.tsx'
import { EnumStatus } from '../Status.tsx'
import type { Webhook } from './schema.ts'
import { words } from './words.ts'

/** Milliseconds. Later attempts are not waited for. */
const SOON = 10_000

interface Props {
  webhook: Webhook
  isOfServer: boolean
  onClose: () => void
}

export function Deliveries({ webhook: { id, name }, isOfServer, onClose }: Props) {
  const t = useTexts(words)
  const [shown, setShown] = useState<number>()
  const list = usePages(
    isOfServer ? 'webhooks.deliveriesOfServer' : 'webhooks.deliveries',
    { params: { id } },
    { isChanging: ({ status, nextAttemptAt }) => status === 'PENDING' && (nextAttemptAt ?? 0) < Date.now() + SOON },
  )
  return (
    <NoticeDialog title={t.logOf(name)} action={t.close} onClose={onClose} maxWidth="md">
      <Rows query={list} label={t.log} empty={t.noDeliveries} keyOf={(delivery) => delivery.id}>
        {(delivery) => (
          <>
            <Row
              title={
                <>
                  <Typography component="span" sx={{ fontFamily: 'monospace', mr: 1 }}>
                    {delivery.event}
                  </Typography>
                  <EnumStatus of="deliveryStatus" value={delivery.status} />
                </>
              }
              details={[
                `#${delivery.sequence}`,
                relativeTime(delivery.createdAt),
                delivery.nextAttemptAt !== null && t.next(dateTime(delivery.nextAttemptAt)),
              ]
                .filter(Boolean)
                .join(' · ')}
              actions={
                <Button
                  size="small"
                  aria-expanded={shown === delivery.id}
                  aria-label={t.showOf(delivery.event, delivery.sequence)}
                  onClick={() => setShown(shown === delivery.id ? undefined : delivery.id)}
                >
                  {t.show}
                </Button>
              }
            />
            {shown === delivery.id && <Detail id={id} deliveryId={delivery.id} isOfServer={isOfServer} />}
          </>
        )}
      </Rows>
    </NoticeDialog>
  )
}

function Detail({ id, deliveryId, isOfServer }: { id: number; deliveryId: number; isOfServer: boolean }) {
  const t = useTexts(words)
  const params = { id, deliveryId }
  const { data, error, refetch } = useCall(isOfServer ? 'webhooks.deliveryOfServer' : 'webhooks.delivery', { params })
  const replay = useAction(isOfServer ? 'webhooks.replayDeliveryOfServer' : 'webhooks.replayDelivery', {
    done: t.queued,
  })
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  return (
    <Box sx={{ mt: 1 }}>
      <Typography variant="body2" color="text.secondary">
        {t.attempts}
      </Typography>
      {data.attempts.length === 0 && <Typography variant="body2">{t.noAttempts}</Typography>}
      <Box component="ol" sx={{ m: 0, pl: 3 }}>
        {data.attempts.map(({ at, status, error: problem, ms }) => (
          <Typography key={at} component="li" variant="body2">
            {t.attempt(dateTime(at), problem ?? `HTTP ${status}`, ms)}
          </Typography>
        ))}
      </Box>
      <Code title={t.body} text={JSON.stringify(JSON.parse(data.body), null, 2)} />
      {data.answer !== null && <Code title={t.answer} text={data.answer} />}
      <Button variant="outlined" size="small" disabled={replay.isPending} onClick={() => replay.mutate({ params })}>
        {t.again}
      </Button>
    </Box>
  )
}

const Code = ({ title, text }: { title: string; text: string }) => (
  <Box sx={{ my: 1 }}>
    <Typography variant="body2" color="text.secondary">
      {title}
    </Typography>
    <Box
      component="pre"
      tabIndex={0}
      sx={{ m: 0, p: 1, maxHeight: 240, overflow: 'auto', fontSize: 12, bgcolor: 'action.hover', borderRadius: 1 }}
    >
      {text}
    </Box>
  </Box>
)
