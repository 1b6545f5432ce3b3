/** Hands an asset over to another custodian or location, or gives a personal asset to an organization. */

import { Alert, TextField, Typography } from '@mui/material'
import { useNavigate } from 'react-router'

import type { Asset } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { may, useOwner, useOwnerQuery, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { LocationPicker, PersonPicker } from './inputs.tsx'

const words = texts({
  en: {
    title: (name: string) => `Hand over “${name}”`,
    action: 'Hand over',
    done: 'The asset was handed over.',
    custodian: 'New custodian',
    location: 'New location',
    org: 'Organization',
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
    help: '新保管人会收到通知，历史中保留此前的保管人。',
    give: '转给你所在的组织。分类和你自己字段的值会被清除，且你无法自行收回。',
    none: '你没有可以登记资产的组织，请先加入一个组织。',
  },
})

export function TransferDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const { orgs } = useSession()
  const navigate = useNavigate()
  const targets = orgs.filter((org) => may('assets.create', org))
  const form = useForm(
    'assets.transfer',
    {
      custodianId: asset.custodianId,
      locationId: asset.locationId,
      toOrgId: targets.length === 1 ? targets[0]!.id : null,
      note: '',
    },
    {
      done: t.done,
      refreshes: owner === null ? ['assets.list', 'assets.map', 'assetCategories'] : ['assets'],
      onDone() {
        onClose()
        // It is no longer among the things of this workspace.
        if (owner === null) void navigate('/assets', { replace: true })
      },
      input: ({ toOrgId, note, ...within }) => ({
        params: { id: asset.id },
        query: owned,
        body: owner === null ? { note, ...(toOrgId !== null && { toOrgId }) } : { ...within, note },
      }),
    },
  )
  const hasTarget = owner !== null || targets.length > 0
  return (
    <FormDialog form={form} title={t.title(asset.name)} action={t.action} isDisabled={!hasTarget} onClose={onClose}>
      {owner === null ? (
        <>
          <Typography color="text.secondary">{t.give}</Typography>
          {hasTarget ? (
            <ChoiceField {...form.pick('toOrgId', { label: t.org })} required choices={targets} />
          ) : (
            <Alert severity="info">{t.none}</Alert>
          )}
        </>
      ) : (
        <>
          <PersonPicker {...form.pick('custodianId', { label: t.custodian, help: t.help })} />
          <LocationPicker {...form.pick('locationId', { label: t.location })} />
        </>
      )}
      <TextField {...form.text('note')} multiline />
    </FormDialog>
  )
}
