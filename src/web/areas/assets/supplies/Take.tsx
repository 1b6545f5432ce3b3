/** Takes some of a supply for oneself: the page to which its code leads, after sign-in. Works without a connection once it was opened. */

import { Inventory2 } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useParams } from 'react-router'

import { callWith } from '../../../api/client.ts'
import { useCall } from '../../../api/hooks.ts'
import { newId } from '../../../api/new-id.ts'
import type { Supply } from '../../../api/types.ts'
import { askForPersistence } from '../../../browser/persistence.ts'
import { labelled, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useSession } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading } from '../../../ui/Answer.tsx'
import { NumberField, ToggleField } from '../../../ui/fields.tsx'
import { Owned } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Cover } from '../parts.tsx'
import { useNames } from '../places.ts'
import { words as shared } from './supply-words.ts'
import { useTakeOutbox } from './take-outbox.ts'

const words = texts({
  en: {
    title: 'Take some',
    none: 'No such supply',
    noneText: 'It was deleted, or you are not a member of its organization.',
    left: (n: string, unit: string) => `${n} ${unit} left`,
    yours: (n: string, unit: string) => `You have ${n} ${unit}.`,
    take: 'Take',
    return: 'Return',
    place: 'Place',
    anyPlace: 'Where it usually is',
    atMost: (n: string) => `At most ${n} at once.`,
    note: 'Note',
    off: 'Members do not take this by themselves. Ask somebody who hands it out.',
    taken: (n: string, unit: string, left: string) => `You took ${n} ${unit}. ${left} are left.`,
    returned: (n: string, unit: string) => `You returned ${n} ${unit}.`,
    waiting: (n: number) =>
      n === 1
        ? 'The server cannot be reached. 1 entry waits on this device and is sent as soon as there is a connection.'
        : `The server cannot be reached. ${n} entries wait on this device and are sent as soon as there is a connection.`,
    discard: 'Discard',
    again: 'Try again',
    open: 'To the supply',
  },
  zh: {
    title: '自助领用',
    none: '没有此物料',
    noneText: '物料已删除，或你不是该组织的成员。',
    left: (n: string, unit: string) => `剩余 ${n} ${unit}`,
    yours: (n: string, unit: string) => `你持有 ${n} ${unit}。`,
    take: '领用',
    return: '归还',
    place: '位置',
    anyPlace: '默认位置',
    atMost: (n: string) => `每次最多 ${n}。`,
    note: '备注',
    off: '此物料不支持自助领用，请联系管理人员。',
    taken: (n: string, unit: string, left: string) => `已领用 ${n} ${unit}，剩余 ${left}。`,
    returned: (n: string, unit: string) => `已归还 ${n} ${unit}。`,
    waiting: (n: number) => `无法连接服务器：${n} 条记录已保存在本机，恢复网络后自动上传。`,
    discard: '放弃',
    again: '重试',
    open: '查看物料',
  },
})

export default function Take() {
  const t = useTexts(words)
  const { uuid = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['supplies', 'code', uuid],
    queryFn: async () => {
      // As JSON, with the token: the page for browsers says nothing.
      const { fields = [] } = (await callWith(
        'landing.page',
        { params: { type: 'supply', id: uuid } },
        { headers: { accept: 'application/json' } },
      )) as { fields?: readonly { key: string; value: unknown }[] }
      const values = Object.fromEntries(fields.map(({ key, value }) => [key, value]))
      return { id: values['id'] as number, orgId: values['orgId'] as number | null }
    },
    retry: false,
    staleTime: Infinity,
  })
  const isGone = error !== null && (error as { status?: number }).status === 404
  return (
    <Page title={t.title} width="form">
      {isGone && <EmptyState icon={Inventory2} title={t.none} text={t.noneText} />}
      {error !== null && !isGone && <ErrorNotice error={error as never} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <Owned orgId={data.orgId}>
          <TakeForm id={data.id} orgId={data.orgId} />
        </Owned>
      )}
    </Page>
  )
}

function TakeForm({ id, orgId }: { id: number; orgId: number | null }) {
  const query = orgId === null ? {} : { orgId }
  const supply = useCall('supplies.get', { params: { id }, query })
  if (supply.error !== null) return <ErrorNotice error={supply.error} onRetry={() => void supply.refetch()} />
  if (supply.data === undefined) return <Loading />
  return <Form supply={supply.data} query={query} />
}

function Form({ supply, query }: { supply: Supply; query: { orgId?: number } }) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const names = useNames()
  const may = useMay()
  const { user } = useSession()
  const outbox = useTakeOutbox(supply.id)
  const [type, setType] = useState<'TAKE' | 'RETURN'>('TAKE')
  const [quantity, setQuantity] = useState<number | null>(1)
  const [place, setPlace] = useState('')
  const [note, setNote] = useState('')
  const isPool = supply.kind === 'POOL'
  const own = useCall(
    'supplies.loans',
    { params: { id: supply.id }, query: { ...query, userId: user.id } },
    { enabled: isPool },
  ).data?.items[0]
  const mayTake = supply.selfService || may('supplies.reverse')
  const isWhole = quantity !== null && Number.isInteger(quantity) && quantity > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWhole) return
    askForPersistence()
    outbox.add({
      query,
      body: {
        type,
        quantity,
        note,
        requestId: newId(),
        ...(place !== '' && { locationId: Number(place) }),
        userId: user.id,
      },
    })
    setQuantity(1)
    setNote('')
  }
  return (
    <Stack spacing={2}>
      <Card variant="outlined">
        <CardContent component={Stack} direction="row" spacing={2} sx={{ alignItems: 'center' }}>
          <Cover photos={supply.photos} name={supply.name} size={72} />
          <Stack sx={{ minWidth: 0 }}>
            <Typography variant="h2" sx={{ overflowWrap: 'anywhere' }}>
              {supply.name}
            </Typography>
            <Typography color="text.secondary">{t.left(number(supply.stock), supply.unit)}</Typography>
            {own !== undefined && <Typography>{t.yours(number(own.quantity), supply.unit)}</Typography>}
          </Stack>
        </CardContent>
      </Card>
      {!mayTake && <Alert severity="info">{t.off}</Alert>}
      {mayTake && (
        <Stack component="form" spacing={2} onSubmit={submit}>
          {isPool && <ToggleField value={type} onChange={setType} choices={{ TAKE: t.take, RETURN: t.return }} />}
          <NumberField
            name="quantity"
            label={`${s.quantity} (${supply.unit})`}
            value={quantity}
            onChange={setQuantity}
            error={undefined}
            help={type === 'TAKE' && !may('supplies.reverse') ? t.atMost(number(supply.maxPerTake)) : undefined}
            required
          />
          {supply.byLocation.length > 1 && (
            <TextField
              select
              label={t.place}
              value={place}
              onChange={({ target }) => setPlace(target.value)}
              slotProps={{ select: { native: true }, inputLabel: { shrink: true } }}
            >
              <option value="">{t.anyPlace}</option>
              {supply.byLocation.map(
                ({ locationId, quantity: there }) =>
                  locationId !== null && (
                    <option key={locationId} value={locationId}>
                      {names.location(locationId) || locationId} ({number(there)})
                    </option>
                  ),
              )}
            </TextField>
          )}
          <TextField label={t.note} value={note} onChange={({ target }) => setNote(target.value)} />
          <Button type="submit" variant="contained" size="large" disabled={!isWhole}>
            {type === 'TAKE' ? t.take : t.return}
          </Button>
        </Stack>
      )}
      {outbox.isLost && outbox.waiting > 0 && <Alert severity="info">{t.waiting(outbox.waiting)}</Alert>}
      {outbox.booked !== undefined && (
        <Alert severity="success">
          {outbox.booked.type === 'TAKE'
            ? t.taken(number(outbox.booked.quantity), supply.unit, number(outbox.booked.stockAfter))
            : t.returned(number(outbox.booked.quantity), supply.unit)}
        </Alert>
      )}
      {outbox.refused.map((entry) => (
        <Alert
          key={entry.id}
          severity="error"
          action={
            <Button color="inherit" size="small" onClick={() => outbox.discard(entry.id!)}>
              {t.discard}
            </Button>
          }
        >
          {labelled(`${number(entry.body.body.quantity)} ${supply.unit}`, entry.refusal!)}
        </Alert>
      ))}
      {outbox.error !== undefined && <ErrorNotice error={outbox.error} />}
      <Button component={Link} to={`/assets/supplies/${supply.id}`} sx={{ alignSelf: 'flex-start' }}>
        {t.open}
      </Button>
    </Stack>
  )
}
