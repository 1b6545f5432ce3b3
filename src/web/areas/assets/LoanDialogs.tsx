/** Lends an asset to a member or to a person by name, and takes it back. */

import { TextField, ToggleButton, ToggleButtonGroup } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { Asset, AssetCondition } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { LocationPicker, PersonPicker } from './inputs.tsx'
import { Choice } from './parts.tsx'
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
    note: 'Note',
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
    note: '备注',
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
  const { workspace, user } = useSession()
  const [isMember, setMember] = useState(workspace !== null)
  const [userId, setUserId] = useState<number | null>(workspace === null ? user.id : null)
  const [personName, setPersonName] = useState('')
  const [due, setDue] = useState('')
  const [note, setNote] = useState('')
  const lend = useAction('assets.checkOut', { done: t.lent, quiet: true, onDone: onClose })
  const submit = () => {
    const rest = {
      note,
      // The day ends where the user is.
      ...(due !== '' && { dueAt: new Date(`${due}T23:59:00`).getTime() }),
    }
    const body = isMember && userId !== null ? { userId, ...rest } : { personName, ...rest }
    lend.mutate({ params: { id: asset.id }, query: ownerQuery(), body })
  }
  const problem = (field: string) => lend.error?.problem(field)
  return (
    <FormDialog
      isOpen
      title={t.lendTitle(asset.name)}
      action={t.lend}
      isBusy={lend.isPending}
      error={lend.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {workspace !== null && (
        <ToggleButtonGroup
          exclusive
          fullWidth
          value={isMember}
          onChange={(_, next: boolean | null) => next !== null && setMember(next)}
          aria-label={t.kind}
        >
          <ToggleButton value>{t.member}</ToggleButton>
          <ToggleButton value={false}>{t.other}</ToggleButton>
        </ToggleButtonGroup>
      )}
      {isMember ? (
        <PersonPicker required label={t.kind} value={userId} onChange={setUserId} error={problem('userId')} />
      ) : (
        <TextField
          label={t.person}
          required
          value={personName}
          onChange={(event) => setPersonName(event.target.value)}
          error={problem('personName') !== undefined}
          helperText={problem('personName')}
        />
      )}
      <TextField
        type="date"
        label={t.due}
        value={due}
        onChange={(event) => setDue(event.target.value)}
        error={problem('dueAt') !== undefined}
        helperText={problem('dueAt') ?? (isMember ? t.dueHelp : t.dueHelpOther)}
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <TextField label={t.note} multiline value={note} onChange={(event) => setNote(event.target.value)} />
    </FormDialog>
  )
}

export function ReturnDialog({ assetId, name, onClose }: { assetId: number; name: string; onClose: () => void }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const word = useCondition()
  const [condition, setCondition] = useState('')
  const [locationId, setLocationId] = useState<number | null>(null)
  const [note, setNote] = useState('')
  const back = useAction('assets.checkIn', { done: t.returned, quiet: true, onDone: onClose })
  const submit = () =>
    back.mutate({
      params: { id: assetId },
      query: ownerQuery(),
      body: {
        note,
        ...(condition !== '' && { condition: condition as AssetCondition }),
        ...(locationId !== null && { locationId }),
      },
    })
  return (
    <FormDialog
      isOpen
      title={t.returnTitle(name)}
      action={t.return}
      isBusy={back.isPending}
      error={back.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Choice
        label={t.condition}
        value={condition}
        none={t.any}
        choices={CONDITIONS.map((id) => ({ id, name: word(id) }))}
        onChange={setCondition}
      />
      {workspace !== null && (
        <LocationPicker label={t.location} value={locationId} onChange={setLocationId} help={t.locationHelp} />
      )}
      <TextField label={t.note} multiline value={note} onChange={(event) => setNote(event.target.value)} />
    </FormDialog>
  )
}
