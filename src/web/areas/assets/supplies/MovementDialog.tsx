/** Books a movement of one supply. */

import { TextField } from '@mui/material'
import { useState } from 'react'

import { newId } from '../../../api/new-id.ts'
import type { Supply, SupplyMovementType } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { NumberField, ToggleField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { LocationPicker, PersonPicker } from '../inputs.tsx'
import { useNames } from '../places.ts'
import { words as shared } from './supply-words.ts'

const words = texts({
  en: {
    titleIN: (name: string) => `Add to “${name}”`,
    titleTAKE: (name: string) => `Hand out “${name}”`,
    titleRETURN: (name: string) => `Take back “${name}”`,
    titleMOVE: (name: string) => `Move “${name}”`,
    titleCOUNT: (name: string) => `Count “${name}”`,
    titleWRITE_OFF: (name: string) => `Write off “${name}”`,
    there: (n: string, unit: string) => `${n} ${unit} are there now.`,
    counted: 'How many are there',
    from: 'From',
    to: 'To',
    where: 'Where',
    whereHelp: 'Empty: those without a place, or the only place.',
    who: 'Person',
    member: 'Member',
    other: 'Someone else',
    personName: 'Name',
    due: 'Due back',
    price: 'Price of one',
    book: 'Book',
    booked: 'The movement was booked.',
  },
  zh: {
    titleIN: (name: string) => `入库“${name}”`,
    titleTAKE: (name: string) => `领用“${name}”`,
    titleRETURN: (name: string) => `归还“${name}”`,
    titleMOVE: (name: string) => `移库“${name}”`,
    titleCOUNT: (name: string) => `盘点“${name}”`,
    titleWRITE_OFF: (name: string) => `报损“${name}”`,
    there: (n: string, unit: string) => `现有 ${n} ${unit}。`,
    counted: '实有数量',
    from: '原位置',
    to: '目标位置',
    where: '位置',
    whereHelp: '留空：未指定位置的库存，或唯一的位置。',
    who: '领用人',
    member: '成员',
    other: '其他人',
    personName: '姓名',
    due: '归还期限',
    price: '单价',
    book: '登记',
    booked: '已登记。',
  },
})

export interface MovementDialogProps {
  supply: Supply
  type: SupplyMovementType
  /** Who returns some of it. */
  person?: { readonly userId: number | null; readonly personName: string; readonly quantity: number }
  onClose: () => void
}

export function MovementDialog({ supply, type, person, onClose }: MovementDialogProps) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const owner = useOwner()
  const owned = useOwnerQuery()
  const names = useNames()
  // One for all attempts of this dialog, so that a lost answer books nothing twice.
  const [requestId] = useState(newId)
  const isPersonal = type === 'TAKE' || type === 'RETURN'
  const only = supply.byLocation.length === 1 ? supply.byLocation[0]!.locationId : null
  const form = useForm(
    'supplies.move',
    {
      quantity: (type === 'COUNT' ? null : (person?.quantity ?? 1)) as number | null,
      locationId: type === 'IN' || type === 'RETURN' ? null : only,
      toLocationId: null as number | null,
      who: (person === undefined ? owner !== null : person.userId !== null) ? 'member' : 'other',
      userId: person?.userId ?? null,
      personName: person?.personName ?? '',
      price: '',
      dueDay: '',
      note: '',
    },
    {
      done: t.booked,
      paths: { dueDay: 'dueAt' },
      onDone: onClose,
      input: ({ quantity, locationId, toLocationId, who, userId, personName, price, dueDay, note }) => ({
        params: { id: supply.id },
        query: owned,
        body: {
          type,
          quantity: quantity!,
          locationId,
          note,
          requestId,
          ...(type === 'MOVE' && { toLocationId }),
          ...(isPersonal && who === 'member' && userId !== null && { userId }),
          ...(isPersonal && who === 'other' && personName !== '' && { personName }),
          ...(price !== '' && { price }),
          // The day ends where the user is.
          ...(dueDay !== '' && { dueAt: new Date(`${dueDay}T23:59:00`).getTime() }),
        },
      }),
    },
  )
  const { who, locationId } = form.values
  const there = supply.byLocation.find((place) => place.locationId === locationId)?.quantity ?? 0
  return (
    <FormDialog form={form} title={t[`title${type}`](supply.name)} action={t.book} onClose={onClose}>
      <NumberField
        {...form.number('quantity', {
          label: type === 'COUNT' ? t.counted : `${s.quantity} (${supply.unit})`,
          help: type === 'IN' ? undefined : t.there(number(there || supply.stock), supply.unit),
        })}
        required
        autoFocus
      />
      {owner !== null && (
        <LocationPicker
          {...form.pick('locationId', {
            label: type === 'MOVE' ? t.from : t.where,
            ...(type !== 'IN' && type !== 'RETURN' && supply.byLocation.length > 0 && { help: t.whereHelp }),
          })}
        />
      )}
      {type === 'MOVE' && <LocationPicker {...form.pick('toLocationId', { label: t.to })} />}
      {isPersonal && owner !== null && (
        <ToggleField
          value={who}
          onChange={(next: string) => form.set({ who: next })}
          choices={{ member: t.member, other: t.other }}
        />
      )}
      {isPersonal && who === 'member' && owner !== null && (
        <PersonPicker {...form.pick('userId', { label: t.who })} required={supply.kind === 'POOL'} />
      )}
      {isPersonal && (who === 'other' || owner === null) && (
        <TextField {...form.text('personName', { label: t.personName })} />
      )}
      {type === 'TAKE' && supply.kind === 'POOL' && (
        <TextField
          {...form.text('dueDay', { label: t.due })}
          type="date"
          slotProps={{ inputLabel: { shrink: true } }}
        />
      )}
      {type === 'IN' && (
        <TextField {...form.text('price', { label: t.price })} slotProps={{ htmlInput: { inputMode: 'decimal' } }} />
      )}
      <TextField {...form.text('note')} multiline helperText={form.problem('note') ?? names.location(locationId)} />
    </FormDialog>
  )
}
