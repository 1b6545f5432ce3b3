/** Hands an asset over to another custodian or location, or gives a personal asset to an organization. */

import { Alert, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { Asset } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { may, ownerQuery, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { LocationPicker, PersonPicker } from './inputs.tsx'
import { Choice } from './parts.tsx'

const words = texts({
  en: {
    title: (name: string) => `Hand over “${name}”`,
    action: 'Hand over',
    done: 'The asset was handed over.',
    custodian: 'New custodian',
    location: 'New location',
    org: 'Organization',
    note: 'Note',
    help: 'The new custodian is notified, and the history keeps who had it before.',
    give: 'Give it to an organization that you belong to. Its category and the values of your own fields are cleared, and you cannot take it back yourself.',
    none: 'You belong to no organization in which you may register assets. Join one first.',
  },
  zh: {
    title: (name: string) => `转移“${name}”`,
    action: '转移',
    done: '资产已转移。',
    custodian: '新保管人',
    location: '新位置',
    org: '组织',
    note: '备注',
    help: '新保管人会收到通知，历史中保留此前的保管人。',
    give: '转给你所在的组织。分类和你自己字段的值会被清除，且你无法自行收回。',
    none: '你没有可以登记资产的组织，请先加入一个组织。',
  },
})

export function TransferDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const t = useTexts(words)
  const { workspace, orgs } = useSession()
  const navigate = useNavigate()
  const targets = orgs.filter((org) => may('assets.create', org))
  const [custodianId, setCustodianId] = useState(asset.custodianId)
  const [locationId, setLocationId] = useState(asset.locationId)
  const [toOrgId, setToOrgId] = useState(targets.length === 1 ? String(targets[0]!.id) : '')
  const [note, setNote] = useState('')
  const transfer = useAction('assets.transfer', {
    done: t.done,
    quiet: true,
    refreshes: workspace === null ? ['assets.list', 'assets.map', 'assetCategories'] : ['assets'],
    onDone: () => {
      onClose()
      // It is no longer among the things of this workspace.
      if (workspace === null) void navigate('/assets', { replace: true })
    },
  })
  const submit = () => {
    if (workspace === null && toOrgId === '') return
    transfer.mutate({
      params: { id: asset.id },
      query: ownerQuery(),
      body: workspace === null ? { toOrgId: Number(toOrgId), note } : { custodianId, locationId, note },
    })
  }
  const problem = (field: string) => transfer.error?.problem(field)
  return (
    <FormDialog
      isOpen
      title={t.title(asset.name)}
      action={t.action}
      isBusy={transfer.isPending}
      error={transfer.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {workspace === null ? (
        <>
          <Typography color="text.secondary">{t.give}</Typography>
          {targets.length === 0 ? (
            <Alert severity="info">{t.none}</Alert>
          ) : (
            <Choice
              label={t.org}
              required
              value={toOrgId}
              choices={targets.map(({ id, name }) => ({ id: String(id), name }))}
              onChange={setToOrgId}
              error={problem('toOrgId')}
            />
          )}
        </>
      ) : (
        <>
          <PersonPicker
            label={t.custodian}
            value={custodianId}
            onChange={setCustodianId}
            error={problem('custodianId')}
            help={t.help}
          />
          <LocationPicker
            label={t.location}
            value={locationId}
            onChange={setLocationId}
            error={problem('locationId')}
          />
        </>
      )}
      <TextField label={t.note} multiline value={note} onChange={(event) => setNote(event.target.value)} />
    </FormDialog>
  )
}
