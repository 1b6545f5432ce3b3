/** Dialogs of reservations: reserve an asset, change or cancel a reservation, decide it. */

import { Alert, Stack, TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useState } from 'react'

import { newId } from '../../../api/new-id.ts'
import type { AssetReservation, AssetReservationItem } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { isSameClock } from '../../../i18n/clocks.ts'
import { timeZone } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { zoneName } from '../../../i18n/zones.ts'
import { useMay, useOwnerQuery } from '../../../session/session.ts'
import { ConfirmDialog, FormDialog } from '../../../ui/dialogs.tsx'
import type { Form } from '../../../ui/use-form.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { PersonPicker } from '../inputs.tsx'
import { itemText, Ticks } from './parts.tsx'
import { REFRESHED, timesText, useZone, words as shared } from './words.ts'

const words = texts({
  en: {
    reserveTitle: (name: string) => `Reserve “${name}”`,
    reserve: 'Reserve',
    reserved: 'It is reserved.',
    requested: 'The reservation waits for a decision.',
    zone: (zone: string) => `Times are in ${zone}.`,
    purposeHelp: 'For example the class or the event.',
    notFree: 'This cannot be reserved for that time. Nothing was reserved.',
    whom: 'For whom',
    myself: 'Me',
    member: 'Member',
    other: 'Someone else',
    person: 'Name of the borrower',
    change: 'Change the reservation',
    extend: 'Extend the loan',
    extendHelp: 'The due dates of the loans move too, if nobody else has reserved the things until then.',
    things: 'Things',
    save: 'Save',
    saved: 'The reservation was changed.',
    cancelTitle: 'Cancel the reservation?',
    cancelText: (times: string) => `${times} becomes free at once. This cannot be undone.`,
    cancel: 'Cancel reservation',
    cancelled: 'The reservation was cancelled.',
    reason: 'Reason',
    reject: 'Reject',
    rejectTitle: 'Reject the reservation',
    rejectHelp: 'The person gets it with the notification.',
    rejected: 'The reservation was rejected.',
    approve: 'Approve',
    approveTitle: 'Approve the reservation',
    approved: 'The reservation was approved.',
    note: 'Note',
  },
  zh: {
    reserveTitle: (name: string) => `预约“${name}”`,
    reserve: '预约',
    reserved: '预约成功。',
    requested: '预约已提交，等待审批。',
    zone: (zone: string) => `以上为${zone}。`,
    purposeHelp: '例如班级或活动。',
    notFree: '该时段无法预约，未预约任何物品。',
    whom: '借用人',
    myself: '我',
    member: '成员',
    other: '其他人',
    person: '借用人姓名',
    change: '修改预约',
    extend: '延长借用',
    extendHelp: '如届时没有其他预约，已借出物品的归还期限会一并延长。',
    things: '物品',
    save: '保存',
    saved: '预约已修改。',
    cancelTitle: '取消预约？',
    cancelText: (times: string) => `${times} 将立即释放。此操作无法撤销。`,
    cancel: '取消预约',
    cancelled: '预约已取消。',
    reason: '原因',
    reject: '拒绝',
    rejectTitle: '拒绝预约',
    rejectHelp: '会随通知发给借用人。',
    rejected: '预约已拒绝。',
    approve: '批准',
    approveTitle: '批准预约',
    approved: '预约已批准。',
    note: '备注',
  },
})

const HOUR = 3_600_000

/** The next full hour, and an hour later. */
export function nextHours(): { from: number; to: number } {
  const from = Math.ceil((serverTime() + 60_000) / HOUR) * HOUR
  return { from, to: from + HOUR }
}

interface Times {
  from: number | null
  to: number | null
}

/** Beginning and end on the clocks of the organization. */
export function TimeFields<Values extends Times>({
  form,
  canMoveStart = true,
}: {
  form: Form<Values>
  canMoveStart?: boolean
}) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const zone = useZone()
  const { time, values } = form as unknown as Form<Times>
  const [opened] = useState(serverTime)
  return (
    <>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
        {canMoveStart && <TextField {...time('from', { label: names.from, zone })} required />}
        <TextField {...time('to', { label: names.to, zone })} required />
      </Stack>
      {!isSameClock(values.from ?? opened, zone, timeZone()) && (
        <Typography variant="body2" color="text.secondary">
          {t.zone(zoneName(values.from ?? opened, zone))}
        </Typography>
      )}
    </>
  )
}

export type Whom = 'me' | 'member' | 'other'

export interface WhomValues {
  whom: Whom
  userId: number | null
  personName: string
}

export const FOR_ME: WhomValues = { whom: 'me', userId: null, personName: '' }

/** The part of the body that says for whom it is; nothing for the user. */
export const whomBody = ({ whom, userId, personName }: WhomValues) =>
  whom === 'member' && userId !== null ? { userId } : whom === 'other' ? { personName } : {}

/** For whom it is reserved. Only keepers may reserve for others. */
export function WhomFields<Values extends WhomValues>({ form }: { form: Form<Values> }) {
  const t = useTexts(words)
  const may = useMay()
  const { values, set, pick, text } = form as unknown as Form<WhomValues>
  if (!may('assetReservations.approve')) return null
  return (
    <>
      <ToggleButtonGroup
        exclusive
        fullWidth
        size="small"
        value={values.whom}
        onChange={(_, whom: Whom | null) => whom !== null && set({ whom })}
        aria-label={t.whom}
      >
        <ToggleButton value="me">{t.myself}</ToggleButton>
        <ToggleButton value="member">{t.member}</ToggleButton>
        <ToggleButton value="other">{t.other}</ToggleButton>
      </ToggleButtonGroup>
      {values.whom === 'member' && <PersonPicker {...pick('userId', { label: t.member })} required />}
      {values.whom === 'other' && <TextField {...text('personName', { label: t.person })} required />}
    </>
  )
}

/** A repeated request answers the first result. A form has one id for each content. */
export function useRequestId(): (content: unknown) => string {
  const [ids] = useState(() => new Map<string, string>())
  return (content) => {
    const key = JSON.stringify(content)
    const id = ids.get(key) ?? newId()
    ids.set(key, id)
    return id
  }
}

export const useDoneWords = (): ((reservation: Pick<AssetReservation, 'status'>) => string) => {
  const t = useTexts(words)
  return ({ status }) => (status === 'REQUESTED' ? t.requested : t.reserved)
}

/** Where a refusal is about a thing: its place in `items`. */
const ITEM = /^body\.items\.(\d+)(?:\.|$)/

/**
 * A form whose refusals about single things are shown by their names (`Refused`): the interface names them by their places in the request.
 */
export function withNamedRefusals<Values extends object>(form: Form<Values>, names: readonly string[]) {
  const { error } = form
  const lines = error?.details.map(({ path, message }) => {
    const name = names[Number(ITEM.exec(path)?.[1])]
    return name === undefined ? undefined : `${name} ${message}`
  })
  const isNamed = lines !== undefined && lines.length > 0 && lines.every((line) => line !== undefined)
  return {
    form: isNamed ? { ...form, error: null } : form,
    refused: isNamed && <Refused lines={[...new Set(lines as string[])]} />,
  }
}

function Refused({ lines }: { lines: readonly string[] }) {
  const t = useTexts(words)
  return (
    <Alert severity="error" sx={{ overflowWrap: 'anywhere' }}>
      {t.notFree}
      {lines.map((line) => (
        <Typography key={line} variant="body2">
          {line}
        </Typography>
      ))}
    </Alert>
  )
}

interface ReserveDialogProps {
  asset: { readonly id: number; readonly name: string }
  /** A time that was chosen before. */
  from?: number
  to?: number
  onDone: (reservation: AssetReservation) => void
  onClose: () => void
}

export function ReserveDialog({ asset, from, to, onDone, onClose }: ReserveDialogProps) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const { orgId } = useOwnerQuery()
  const requestId = useRequestId()
  const form = useForm(
    'assetReservations.create',
    () =>
      ({ ...(from !== undefined && to !== undefined ? { from, to } : nextHours()), purpose: '', ...FOR_ME }) as Times &
        WhomValues & { purpose: string },
    {
      paths: { whom: [] },
      refreshes: REFRESHED,
      onDone: (reservation) => {
        onDone(reservation)
        onClose()
      },
      input: (values) => {
        const body = {
          orgId: orgId!,
          items: [{ assetId: asset.id }],
          from: values.from!,
          to: values.to!,
          purpose: values.purpose,
          ...whomBody(values),
        }
        return { body: { ...body, requestId: requestId(body) } }
      },
    },
  )
  const { form: shown, refused } = withNamedRefusals(form, [asset.name])
  return (
    <FormDialog form={shown} title={t.reserveTitle(asset.name)} action={t.reserve} onClose={onClose}>
      <TimeFields form={form} />
      {refused}
      <TextField {...form.text('purpose', { label: names.purpose, help: t.purposeHelp })} />
      <WhomFields form={form} />
    </FormDialog>
  )
}

interface DialogProps {
  reservation: AssetReservation
  onClose: () => void
}

const keyOf = ({ assetId, supplyId }: Pick<AssetReservationItem, 'assetId' | 'supplyId'>): string =>
  assetId === null ? `supply ${supplyId}` : `asset ${assetId}`

const changeable = ({ from, to, purpose, items }: AssetReservation) => ({
  from: from as number | null,
  to: to as number | null,
  purpose: purpose ?? '',
  kept: items.map(keyOf),
})

/** Moves a reservation or takes things out of it; of one that was handed out, it moves the end. */
export function ChangeDialog({ reservation, onClose }: DialogProps) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const owned = useOwnerQuery()
  const isOut = reservation.status === 'OUT'
  const keptOf = (kept: readonly string[]) => reservation.items.filter((item) => kept.includes(keyOf(item)))
  const form = useForm('assetReservations.update', () => changeable(reservation), {
    from: { version: reservation.version, values: changeable },
    done: t.saved,
    paths: { kept: 'items' },
    refreshes: REFRESHED,
    onDone: onClose,
    input: ({ from, to, purpose, kept }) => ({
      params: { id: reservation.id },
      query: owned,
      body: isOut
        ? { to: to! }
        : {
            from: from!,
            to: to!,
            purpose,
            // Only if something is taken out: the same ones again would no longer be those of a category.
            ...(kept.length < reservation.items.length && { items: keptOf(kept).map(inputOf) }),
          },
    }),
  })
  const { kept } = form.values
  const { form: shown, refused } = withNamedRefusals(
    form,
    keptOf(kept).map(({ name }) => name),
  )
  return (
    <FormDialog
      form={shown}
      title={isOut ? t.extend : t.change}
      action={t.save}
      isDisabled={kept.length === 0}
      onClose={onClose}
    >
      {isOut && <Alert severity="info">{t.extendHelp}</Alert>}
      <TimeFields form={form} canMoveStart={!isOut} />
      {refused}
      {!isOut && <TextField {...form.text('purpose', { label: names.purpose })} />}
      {!isOut && reservation.items.length > 1 && (
        <Ticks
          label={t.things}
          choices={reservation.items.map((item) => ({ key: keyOf(item), name: itemText(item) }))}
          value={kept}
          onChange={(next) => form.set({ kept: next })}
        />
      )}
    </FormDialog>
  )
}

const inputOf = ({ assetId, supplyId, quantity }: AssetReservationItem) =>
  assetId === null ? { supplyId: supplyId!, quantity } : { assetId }

export function CancelDialog({ reservation, onClose }: DialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const zone = useZone()
  const form = useForm(
    'assetReservations.cancel',
    { reason: '' },
    {
      done: t.cancelled,
      refreshes: REFRESHED,
      onDone: onClose,
      input: (body) => ({ params: { id: reservation.id }, query: owned, body }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      isCancelling
      form={form}
      title={t.cancelTitle}
      text={t.cancelText(timesText(reservation, zone))}
      action={t.cancel}
      onClose={onClose}
    >
      <TextField {...form.text('reason', { label: t.reason })} multiline />
    </ConfirmDialog>
  )
}

export function RejectDialog({ reservation, onClose }: DialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const form = useForm(
    'assetReservations.reject',
    { reason: '' },
    {
      done: t.rejected,
      refreshes: REFRESHED,
      onDone: onClose,
      input: (body) => ({ params: { id: reservation.id }, query: owned, body }),
    },
  )
  return (
    <FormDialog form={form} title={t.rejectTitle} action={t.reject} color="error" onClose={onClose}>
      <TextField {...form.text('reason', { label: t.reason, help: t.rejectHelp })} multiline required autoFocus />
    </FormDialog>
  )
}

export function ApproveDialog({ reservation, onClose }: DialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const form = useForm(
    'assetReservations.approve',
    { note: '' },
    {
      done: t.approved,
      refreshes: REFRESHED,
      onDone: onClose,
      input: (body) => ({ params: { id: reservation.id }, query: owned, body }),
    },
  )
  return (
    <FormDialog form={form} title={t.approveTitle} action={t.approve} onClose={onClose}>
      <TextField {...form.text('note', { label: t.note })} multiline autoFocus />
    </FormDialog>
  )
}
