/** Lends an asset to a member or to a person by name, and takes it back. */

import { TextField, ToggleButton, ToggleButtonGroup } from '@mui/material'

import type { Asset, AssetCondition } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { LocationPicker, PersonPicker } from './inputs.tsx'
import { CONDITIONS, useCondition } from './words.ts'

const words = texts({
  en: {
    lendTitle: (name: string) => `Lend “${name}”`,
    lend: 'Lend',
    lent: 'The asset was lent.',
    kind: 'Borrower',
    member: 'Member',
    other: 'Someone else',
    person: 'Name of the borrower',
    due: 'Due back',
    dueHelp: 'The borrower is reminded a day before.',
    dueHelpOther: 'You are reminded a day before.',
    ignore: 'Lend it although somebody else has reserved it',
    returnTitle: (name: string) => `Take back “${name}”`,
    return: 'Take back',
    returned: 'The asset is back.',
    condition: 'Condition',
    any: 'Not recorded',
    location: 'Where it is now',
    locationHelp: 'Becomes the location of the asset. Leave it empty if it stays.',
  },
  zh: {
    lendTitle: (name: string) => `借出“${name}”`,
    lend: '借出',
    lent: '资产已借出。',
    kind: '借用人',
    member: '成员',
    other: '其他人',
    person: '借用人姓名',
    due: '归还期限',
    dueHelp: '到期前一天会提醒借用人。',
    dueHelpOther: '到期前一天会提醒你。',
    ignore: '即使已被他人预约也借出',
    returnTitle: (name: string) => `归还“${name}”`,
    return: '确认归还',
    returned: '资产已归还。',
    condition: '状况',
    any: '不记录',
    location: '现在的位置',
    locationHelp: '将成为资产的位置；不变则留空。',
  },
})

export function LendDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const { user } = useSession()
  const form = useForm(
    'assets.checkOut',
    {
      isMember: owner !== null,
      userId: owner === null ? user.id : null,
      personName: '',
      dueDay: '',
      note: '',
      ignoreReservations: false,
    },
    {
      done: t.lent,
      paths: { dueDay: 'dueAt' },
      refreshes: ['assets', 'assetReservations'],
      onDone: onClose,
      input: ({ isMember, userId, personName, dueDay, note, ignoreReservations }) => ({
        params: { id: asset.id },
        query: owned,
        body: {
          ...(isMember && userId !== null ? { userId } : { personName }),
          note,
          ...(ignoreReservations && { ignoreReservations }),
          // The day ends where the user is.
          ...(dueDay !== '' && { dueAt: new Date(`${dueDay}T23:59:00`).getTime() }),
        },
      }),
    },
  )
  const { isMember, ignoreReservations } = form.values
  // Asked only after the server has refused it.
  const isRefused = form.error?.status === 400 || form.problem('dueDay') !== undefined
  return (
    <FormDialog form={form} title={t.lendTitle(asset.name)} action={t.lend} onClose={onClose}>
      {owner !== null && (
        <ToggleButtonGroup
          exclusive
          fullWidth
          value={isMember}
          onChange={(_, next: boolean | null) => next !== null && form.set({ isMember: next })}
          aria-label={t.kind}
        >
          <ToggleButton value>{t.member}</ToggleButton>
          <ToggleButton value={false}>{t.other}</ToggleButton>
        </ToggleButtonGroup>
      )}
      {isMember ? (
        <PersonPicker {...form.pick('userId', { label: t.kind })} required />
      ) : (
        <TextField {...form.text('personName', { label: t.person })} required />
      )}
      <TextField
        {...form.text('dueDay', { label: t.due, help: isMember ? t.dueHelp : t.dueHelpOther })}
        type="date"
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <TextField {...form.text('note')} multiline />
      {(isRefused || ignoreReservations) && (
        <CheckField {...form.check('ignoreReservations', { label: t.ignore })} isBox />
      )}
    </FormDialog>
  )
}

export function ReturnDialog({ assetId, name, onClose }: { assetId: number; name: string; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const word = useCondition()
  const form = useForm(
    'assets.checkIn',
    { condition: null as AssetCondition | null, locationId: null as number | null, note: '' },
    {
      done: t.returned,
      onDone: onClose,
      input: ({ condition, locationId, note }) => ({
        params: { id: assetId },
        query: owned,
        body: { note, ...(condition !== null && { condition }), ...(locationId !== null && { locationId }) },
      }),
    },
  )
  return (
    <FormDialog form={form} title={t.returnTitle(name)} action={t.return} onClose={onClose}>
      <ChoiceField
        {...form.pick('condition', { label: t.condition })}
        none={t.any}
        choices={CONDITIONS.map((id) => ({ id, name: word(id) }))}
      />
      {owner !== null && <LocationPicker {...form.pick('locationId', { label: t.location, help: t.locationHelp })} />}
      <TextField {...form.text('note')} multiline />
    </FormDialog>
  )
}
