/** The bar with actions for the selected assets. */

import { Delete, DriveFileMove, Print } from '@mui/icons-material'
import { Button, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import type { Asset, AssetStatus, BodyOf } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery, useSession } from '../../session/session.ts'
import { BulkBar } from '../../ui/bulk/BulkBar.tsx'
import { BulkState } from '../../ui/bulk/BulkState.tsx'
import type { Bulk } from '../../ui/bulk/use-bulk.ts'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import type { Selection } from '../../ui/table/selection.ts'
import { useForm } from '../../ui/use-form.tsx'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'

const words = texts({
  en: {
    ...common.en,
    found: (n: number) => (n === 1 ? '1 asset' : `${n} assets`),
    labels: 'Labels',
    change: 'Change',
    changeTitle: (n: number) => (n === 1 ? 'Change 1 asset' : `Change ${n} assets`),
    changeHelp: 'Only what you choose here changes.',
    category: 'Category',
    location: 'Location',
    keep: 'As it is',
    deleteTitle: (n: number) => (n === 1 ? 'Delete 1 asset?' : `Delete ${n} assets?`),
    deleteText: 'Their photos are deleted too, and their labels lead nowhere. This cannot be undone.',
    apply: 'Change',
    changed: (n: number) => (n === 1 ? '1 asset was changed.' : `${n} assets were changed.`),
    deleted: (n: number) => (n === 1 ? '1 asset was deleted.' : `${n} assets were deleted.`),
  },
  zh: {
    ...common.zh,
    found: (n: number) => `共 ${n} 件资产`,
    labels: '标签',
    change: '修改',
    changeTitle: (n: number) => `修改 ${n} 件资产`,
    changeHelp: '只修改在此选择的内容。',
    category: '分类',
    location: '位置',
    keep: '不变',
    deleteTitle: (n: number) => `删除 ${n} 件资产？`,
    deleteText: '照片会一并删除，标签也会失效。此操作无法撤销。',
    apply: '修改',
    changed: (n: number) => `已修改 ${n} 件资产。`,
    deleted: (n: number) => `已删除 ${n} 件资产。`,
  },
})

/** More do not fit into an address. */
const MAX_IN_ADDRESS = 100

export interface SelectedAssetsProps {
  bulk: Bulk
  selection: Selection<Asset>
  total: number
}

export function SelectedAssets({ bulk, selection, total }: SelectedAssetsProps) {
  const t = useTexts(words)
  const may = useMay()
  const ownedPath = useOwnedPath()
  const [dialog, setDialog] = useState<'change' | 'delete'>()
  const isBusy = bulk.progress !== undefined
  const query = useOwnerQuery()
  const assets = [...selection.rows.values()]
  const ids = assets.map(({ id }) => id)
  const run = async (one: (asset: Asset) => Promise<unknown>, done: (n: number) => string) => {
    selection.set(await bulk.run(assets, one, done, ({ name }) => name))
    setDialog(undefined)
  }
  return (
    <>
      <BulkBar bulk={bulk} selection={selection} total={t.found(total)}>
        <Button
          startIcon={<Print />}
          disabled={isBusy}
          component={Link}
          to={ownedPath(`/assets/labels?${ids.length > MAX_IN_ADDRESS ? 'selected=1' : `ids=${ids.join(',')}`}`)}
          state={{ ids }}
        >
          {t.labels}
        </Button>
        {may('assets.update') && (
          <Button startIcon={<DriveFileMove />} disabled={isBusy} onClick={() => setDialog('change')}>
            {t.change}
          </Button>
        )}
        {may('assets.export') && (
          <ExportMenu operation="assets.export" input={{ query: { ...query, ids, tz: timeZone() } }} name="assets" />
        )}
        {may('assets.delete') && (
          <Button color="error" startIcon={<Delete />} disabled={isBusy} onClick={() => setDialog('delete')}>
            {t.delete}
          </Button>
        )}
      </BulkBar>
      {dialog === 'change' && (
        <ChangeDialog
          assets={assets}
          bulk={bulk}
          onClose={() => setDialog(undefined)}
          onSubmit={(body) => run(({ id }) => call('assets.update', { params: { id }, query, body }), t.changed)}
        />
      )}
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(assets.length)}
        text={
          <>
            {t.deleteText}
            {isBusy && <BulkState bulk={bulk} />}
          </>
        }
        action={t.delete}
        isBusy={isBusy}
        onClose={() => setDialog(undefined)}
        onConfirm={() => void run(({ id }) => call('assets.delete', { params: { id }, query }), t.deleted)}
      />
    </>
  )
}

interface ChangeDialogProps {
  assets: readonly Asset[]
  bulk: Bulk
  onSubmit: (body: BodyOf<'assets.update'>) => Promise<void>
  onClose: () => void
}

function ChangeDialog({ assets, bulk, onSubmit, onClose }: ChangeDialogProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const statuses = useChoices('assetStatus').filter(({ id }) => id !== 'SCRAPPED')
  const form = useForm(
    'assets.update',
    {
      categoryId: null as number | null,
      locationId: null as number | null,
      custodianId: null as number | null,
      status: null as AssetStatus | null,
    },
    {
      // Read again when all are changed.
      refreshes: [],
      input: (values) => ({
        params: { id: 0 },
        body: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
      }),
      async send({ body }) {
        await onSubmit(body)
        return assets[0]!
      },
    },
  )
  return (
    <FormDialog form={form} title={t.changeTitle(assets.length)} action={t.apply} onClose={onClose}>
      <Typography color="text.secondary">{t.changeHelp}</Typography>
      <CategoryPicker {...form.pick('categoryId', { label: t.category })} />
      {workspace !== null && (
        <>
          <LocationPicker {...form.pick('locationId', { label: t.location })} />
          <PersonPicker {...form.pick('custodianId')} />
        </>
      )}
      <ChoiceField {...form.pick('status')} choices={statuses} none={t.keep} />
      <BulkState bulk={bulk} />
    </FormDialog>
  )
}
