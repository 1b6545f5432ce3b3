/** Hands out the ticked things of a reservation, or takes them back. */

import { TextField } from '@mui/material'

import type { AssetCondition, AssetReservation } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwnerQuery } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { LocationPicker } from '../inputs.tsx'
import { CONDITIONS, useCondition } from '../words.ts'
import { itemText, Ticks } from './parts.tsx'
import { REFRESHED, useBorrower, useZone } from './words.ts'

const words = texts({
  en: {
    outTitle: (person: string) => `Hand out to ${person}`,
    out: 'Hand out',
    outDone: 'It was handed out.',
    backTitle: (person: string) => `Take back from ${person}`,
    back: 'Take back',
    backDone: 'It is back.',
    things: 'Things',
    due: 'Due back',
    note: 'Note',
    condition: 'Condition',
    any: 'Not recorded',
    location: 'Where it is now',
    locationHelp: 'Becomes the location of the assets. Leave it empty if it stays.',
  },
  zh: {
    outTitle: (person: string) => `借出给 ${person}`,
    out: '借出',
    outDone: '已借出。',
    backTitle: (person: string) => `${person} 归还`,
    back: '确认归还',
    backDone: '已归还。',
    things: '物品',
    due: '归还期限',
    note: '备注',
    condition: '状况',
    any: '不记录',
    location: '现在的位置',
    locationHelp: '将成为资产的位置；不变则留空。',
  },
})

export type HandoverAction = 'pickUp' | 'return'

interface HandoverDialogProps {
  action: HandoverAction
  reservation: AssetReservation
  onClose: () => void
}

export function HandoverDialog(props: HandoverDialogProps) {
  return props.action === 'pickUp' ? <PickUpDialog {...props} /> : <ReturnDialog {...props} />
}

interface ThingsProps {
  reservation: AssetReservation
  state: 'WAITING' | 'OUT'
  value: readonly number[]
  onChange: (assetIds: number[]) => void
}

const assetsIn = ({ items }: AssetReservation, state: 'WAITING' | 'OUT') =>
  items.filter((item) => item.state === state && item.assetId !== null)

const idsIn = (reservation: AssetReservation, state: 'WAITING' | 'OUT'): readonly number[] =>
  assetsIn(reservation, state).map(({ assetId }) => assetId!)

function Things({ reservation, state, value, onChange }: ThingsProps) {
  const t = useTexts(words)
  const things = assetsIn(reservation, state)
  if (things.length < 2) return null
  return (
    <Ticks
      label={t.things}
      choices={things.map((item) => ({ key: String(item.assetId), name: itemText(item) }))}
      value={value.map(String)}
      onChange={(keys) => onChange(keys.map(Number))}
    />
  )
}

/** Without ids, everything is handed out or taken back, also supplies. */
const idsOf = (assetIds: readonly number[], all: readonly number[]) =>
  assetIds.length === all.length ? {} : { assetIds: [...assetIds] }

function PickUpDialog({ reservation, onClose }: HandoverDialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const zone = useZone()
  const borrower = useBorrower()
  const all = idsIn(reservation, 'WAITING')
  const form = useForm(
    'assetReservations.pickUp',
    { assetIds: all, dueAt: reservation.to as number | null, note: '' },
    {
      done: t.outDone,
      refreshes: REFRESHED,
      onDone: onClose,
      input: ({ assetIds, dueAt, note }) => ({
        params: { id: reservation.id },
        query: owned,
        body: { ...idsOf(assetIds, all), ...(dueAt !== null && dueAt !== reservation.to && { dueAt }), note },
      }),
    },
  )
  const { assetIds } = form.values
  return (
    <FormDialog
      form={form}
      title={t.outTitle(borrower(reservation))}
      action={t.out}
      isDisabled={assetIds.length === 0 && all.length > 0}
      onClose={onClose}
    >
      <Things
        reservation={reservation}
        state="WAITING"
        value={assetIds}
        onChange={(next) => form.set({ assetIds: next })}
      />
      <TextField {...form.time('dueAt', { label: t.due, zone })} />
      <TextField {...form.text('note', { label: t.note })} multiline />
    </FormDialog>
  )
}

function ReturnDialog({ reservation, onClose }: HandoverDialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const borrower = useBorrower()
  const word = useCondition()
  const all = idsIn(reservation, 'OUT')
  const form = useForm(
    'assetReservations.return',
    { assetIds: all, condition: null as AssetCondition | null, locationId: null as number | null, note: '' },
    {
      done: t.backDone,
      refreshes: REFRESHED,
      onDone: onClose,
      input: ({ assetIds, condition, locationId, note }) => ({
        params: { id: reservation.id },
        query: owned,
        body: {
          ...idsOf(assetIds, all),
          ...(condition !== null && { condition }),
          ...(locationId !== null && { locationId }),
          note,
        },
      }),
    },
  )
  const { assetIds } = form.values
  return (
    <FormDialog
      form={form}
      title={t.backTitle(borrower(reservation))}
      action={t.back}
      isDisabled={assetIds.length === 0 && all.length > 0}
      onClose={onClose}
    >
      <Things
        reservation={reservation}
        state="OUT"
        value={assetIds}
        onChange={(next) => form.set({ assetIds: next })}
      />
      <ChoiceField
        {...form.pick('condition', { label: t.condition })}
        none={t.any}
        choices={CONDITIONS.map((id) => ({ id, name: word(id) }))}
      />
      <LocationPicker {...form.pick('locationId', { label: t.location, help: t.locationHelp })} />
      <TextField {...form.text('note', { label: t.note })} multiline />
    </FormDialog>
  )
}
