/** Parts that several pages of reservations share. */

import { EventBusy } from '@mui/icons-material'
import {
  Box,
  Checkbox,
  FormControl,
  FormControlLabel,
  FormGroup,
  FormLabel,
  Link as MuiLink,
  Stack,
  Typography,
} from '@mui/material'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import type { AssetReservation, AssetReservationItem } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { EmptyState } from '../../../ui/Answer.tsx'
import { EnumStatus, Status } from '../../../ui/Status.tsx'
import { timesText, useBorrower, useZone, words as shared } from './words.ts'

const words = texts({
  en: {
    only: 'Only organizations have reservations',
    onlyText: 'Choose an organization as your workspace to reserve its assets.',
    more: (n: number) => `and ${n} more`,
  },
  zh: {
    only: '只有组织才有预约',
    onlyText: '请先将工作区切换到组织，再预约其资产。',
    more: (n: number) => `另有 ${n} 件`,
  },
})

export function OrganizationsOnly() {
  const t = useTexts(words)
  return <EmptyState icon={EventBusy} title={t.only} text={t.onlyText} />
}

/** The state of a reservation. One whose end has passed while things are out is overdue. */
export function ReservationStatus({ reservation, now }: { reservation: AssetReservation; now: number }) {
  const t = useTexts(shared)
  const { status, to } = reservation
  return status === 'OUT' && to < now ? (
    <Status tone="bad" text={t.overdue} />
  ) : (
    <EnumStatus of="reservationStatus" value={status} />
  )
}

/** `Tablet 7 (A-2026-00042)`, or `30 × Chair`. */
export const itemText = ({ name, assetNo, assetId, quantity }: AssetReservationItem): string =>
  assetId === null ? `${quantity} × ${name}` : `${name} (${assetNo})`

/** Items of a row that are named. */
const NAMED = 3

export function useItemsText(): (items: readonly AssetReservationItem[]) => string {
  const t = useTexts(words)
  return (items) =>
    [...items.slice(0, NAMED).map(itemText), ...(items.length > NAMED ? [t.more(items.length - NAMED)] : [])].join(', ')
}

interface ReservationCardProps {
  reservation: AssetReservation
  now: number
  actions?: ReactNode
  /** Without the name of the person, where it is always the user. */
  isOwn?: boolean
}

/** A reservation as a row of a list. */
export function ReservationCard({ reservation, now, actions, isOwn = false }: ReservationCardProps) {
  const zone = useZone()
  const borrower = useBorrower()
  const itemsText = useItemsText()
  const { id, items, purpose } = reservation
  const times = timesText(reservation, zone)
  const person = borrower(reservation)
  return (
    <Stack
      component="li"
      direction="row"
      useFlexGap
      spacing={1}
      sx={{
        flexWrap: 'wrap',
        alignItems: 'center',
        py: 1.5,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Box sx={{ flex: '1 1 240px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <MuiLink component={Link} to={`/reservations/${id}`} underline="hover" color="inherit" sx={{ fontWeight: 600 }}>
          {isOwn ? times : person}
        </MuiLink>
        {!isOwn && <Typography variant="body2">{times}</Typography>}
        <Typography variant="body2" color="text.secondary">
          {[itemsText(items), purpose].filter(Boolean).join(' · ')}
        </Typography>
        <Typography variant="body2" component="div">
          <ReservationStatus reservation={reservation} now={now} />
        </Typography>
      </Box>
      {actions && (
        <Stack direction="row" spacing={1}>
          {actions}
        </Stack>
      )}
    </Stack>
  )
}

interface TicksProps {
  label: string
  choices: readonly { readonly key: string; readonly name: string }[]
  value: readonly string[]
  onChange: (keys: string[]) => void
}

/** Things of which some are chosen. */
export function Ticks({ label, choices, value, onChange }: TicksProps) {
  return (
    <FormControl component="fieldset">
      <FormLabel component="legend">{label}</FormLabel>
      <FormGroup>
        {choices.map(({ key, name }) => (
          <FormControlLabel
            key={key}
            label={name}
            sx={{ '& .MuiFormControlLabel-label': { overflowWrap: 'anywhere' } }}
            control={
              <Checkbox
                checked={value.includes(key)}
                onChange={(_, isOn) => onChange(isOn ? [...value, key] : value.filter((one) => one !== key))}
              />
            }
          />
        ))}
      </FormGroup>
    </FormControl>
  )
}
