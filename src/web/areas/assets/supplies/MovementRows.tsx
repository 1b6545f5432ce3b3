/** Movements of supplies, newest first, each of which can be reversed. */

import { Undo } from '@mui/icons-material'
import { Box, Chip, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../../api/pages.ts'
import type { QueryOf, SupplyMovement } from '../../../api/types.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { dateTime, labelled, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { Action } from '../parts.tsx'
import { useNames } from '../places.ts'

const words = texts({
  en: {
    none: 'No movements yet.',
    after: (n: string) => `${n} left`,
    by: (name: string) => `by ${name}`,
    reverse: 'Reverse',
    reversed: 'Reversed',
    isReversal: 'Reversal',
    question: 'Reverse this movement?',
    text: 'The opposite is booked, and both stay in the list.',
    done: 'The movement was reversed.',
    list: 'Movements',
  },
  zh: {
    none: '还没有出入库记录。',
    after: (n: string) => `结存 ${n}`,
    by: (name: string) => `经办人：${name}`,
    reverse: '冲销',
    reversed: '已冲销',
    isReversal: '冲销',
    question: '冲销此记录？',
    text: '将登记一条相反的记录，两条记录都会保留。',
    done: '已冲销。',
    list: '出入库记录',
  },
})

interface MovementRowsProps {
  filters: Partial<QueryOf<'supplies.movements'>>
  /** Of the one supply; otherwise each row names its own. */
  unit?: string
}

export function MovementRows({ filters, unit }: MovementRowsProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const [reversed, setReversed] = useState<SupplyMovement>()
  const list = usePages('supplies.movements', { query: { ...owned, ...filters } })
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.items.length === 0) return <Typography color="text.secondary">{t.none}</Typography>
  return (
    <>
      <Stack component="ul" aria-label={t.list} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {list.items.map((movement) => (
          <Row key={movement.id} movement={movement} unit={unit} onReverse={() => setReversed(movement)} />
        ))}
      </Stack>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      {reversed !== undefined && (
        <ActionDialog
          operation="supplies.reverse"
          input={{ params: { id: reversed.id }, query: owned, body: {} }}
          title={t.question}
          text={t.text}
          action={t.reverse}
          color="primary"
          done={t.done}
          onClose={() => setReversed(undefined)}
        />
      )}
    </>
  )
}

interface RowProps {
  movement: SupplyMovement
  unit: string | undefined
  onReverse: () => void
}

const signed = (n: number): string => (n > 0 ? `+${number(n)}` : number(n))

function Row({ movement, unit, onReverse }: RowProps) {
  const t = useTexts(words)
  const word = useEnum('supplyMovement')
  const names = useNames()
  const may = useMay()
  const { type, difference, quantity, stockAfter, locationId, toLocationId, personName, note } = movement
  const places = [locationId, toLocationId].map(names.location).filter(Boolean).join(' → ')
  const facts = [places, personName, note].filter(Boolean).join(' · ')
  return (
    <Stack
      component="li"
      direction="row"
      spacing={1}
      sx={{
        alignItems: 'center',
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        {unit === undefined && (
          <Typography
            component={Link}
            to={`/assets/supplies/${movement.supplyId}`}
            sx={{ color: 'inherit', fontWeight: 600 }}
          >
            {movement.supplyName}
          </Typography>
        )}
        <Typography>
          {labelled(word(type), type === 'MOVE' ? number(quantity) : signed(difference))} {unit}{' '}
          <Typography component="span" variant="body2" color="text.secondary">
            {`· ${t.after(number(stockAfter))}`}
          </Typography>{' '}
          {movement.reversedBy !== null && <Chip size="small" label={t.reversed} />}
          {movement.reverses !== null && <Chip size="small" label={t.isReversal} />}
        </Typography>
        {facts !== '' && <Typography sx={{ overflowWrap: 'anywhere' }}>{facts}</Typography>}
        <Typography variant="body2" color="text.secondary">
          {dateTime(movement.createdAt)} · {t.by(movement.operatorName)}
        </Typography>
      </Box>
      {may('supplies.reverse') && movement.reversedBy === null && movement.reverses === null && (
        <Action icon={Undo} label={t.reverse} onClick={onReverse} />
      )}
    </Stack>
  )
}
