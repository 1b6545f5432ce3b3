/** Books a movement of each of several supplies: all of them, or none. */

import { TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { newId } from '../../../api/new-id.ts'
import type { Supply, SupplyMovementType } from '../../../api/types.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { ChoiceField, NumberField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { LocationPicker } from '../inputs.tsx'

const words = texts({
  en: {
    title: (n: number) => (n === 1 ? 'Book 1 movement' : `Book ${n} movements`),
    type: 'Kind of movement',
    where: 'Where',
    quantity: (name: string, unit: string, stock: number) => `${name} (${stock} ${unit} there)`,
    none: 'Supplies without a quantity are left out.',
    book: 'Book',
    booked: 'The movements were booked.',
  },
  zh: {
    title: (n: number) => `登记 ${n} 项出入库`,
    type: '类型',
    where: '位置',
    quantity: (name: string, unit: string, stock: number) => `${name}（现有 ${stock} ${unit}）`,
    none: '未填写数量的不登记。',
    book: '登记',
    booked: '已登记。',
  },
})

/** At most as many as a request has. */
const MOST = 200
const TYPES: readonly SupplyMovementType[] = ['IN', 'TAKE', 'COUNT', 'WRITE_OFF']

interface SeveralDialogProps {
  supplies: readonly Supply[]
  onClose: () => void
  onDone: () => void
}

export function SeveralDialog({ supplies, onClose, onDone }: SeveralDialogProps) {
  const t = useTexts(words)
  const word = useEnum('supplyMovement')
  const owner = useOwner()
  const owned = useOwnerQuery()
  const [requestId] = useState(newId)
  const shown = supplies.slice(0, MOST)
  const form = useForm(
    'supplies.moveMany',
    {
      type: 'IN' as SupplyMovementType,
      locationId: null as number | null,
      note: '',
      quantities: {} as Readonly<Record<number, number | null>>,
    },
    {
      done: t.booked,
      onDone() {
        onDone()
        onClose()
      },
      paths: { type: 'items.0.type', locationId: 'items.0.locationId', note: 'items.0.note' },
      input: ({ type, locationId, note, quantities }) => ({
        query: owned,
        body: {
          requestId,
          items: shown.flatMap(({ id }) =>
            quantities[id] == null ? [] : [{ supplyId: id, type, quantity: quantities[id], locationId, note }],
          ),
        },
      }),
    },
  )
  const { quantities } = form.values
  const given = shown.filter(({ id }) => quantities[id] != null)
  /** The refusal of the quantity of a supply, which the answer names by its place in the request. */
  const problemOf = (id: number) => {
    const at = given.findIndex((supply) => supply.id === id)
    return form.error?.details?.find(({ path }) => at >= 0 && path.startsWith(`body.items.${at}.`))?.message
  }
  return (
    <FormDialog
      form={form}
      title={t.title(given.length)}
      action={t.book}
      isDisabled={given.length === 0}
      onClose={onClose}
    >
      <ChoiceField {...form.pick('type', { label: t.type })} choices={TYPES.map((id) => ({ id, name: word(id) }))} />
      {owner !== null && <LocationPicker {...form.pick('locationId', { label: t.where })} />}
      <Typography variant="body2" color="text.secondary">
        {t.none}
      </Typography>
      {shown.map(({ id, name, unit, stock }) => (
        <NumberField
          key={id}
          name={`quantity-${id}`}
          label={t.quantity(name, unit, stock)}
          value={quantities[id] ?? null}
          onChange={(quantity) => form.set((now) => ({ quantities: { ...now.quantities, [id]: quantity } }))}
          error={problemOf(id)}
          help={undefined}
          required={false}
        />
      ))}
      <TextField {...form.text('note')} multiline />
    </FormDialog>
  )
}
