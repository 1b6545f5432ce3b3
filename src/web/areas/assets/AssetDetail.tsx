/** One asset: facts, photos, fields, label, loan, history, and what can be done with it. */

import {
  AssignmentReturn,
  Delete,
  Edit,
  ListAlt,
  MoreVert,
  Output,
  Print,
  RecyclingOutlined,
  SwapHoriz,
} from '@mui/icons-material'
import { Alert, Box, Button, Stack, TextField } from '@mui/material'
import { useState } from 'react'
import { Link as RouterLink, useLocation, useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Asset } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { useMay, useOwnerQuery, useRowQuery } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { FinderCard, LostOffer } from '../../ui/FinderCard.tsx'
import { LabelsOf } from '../../ui/LabelsOf.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { OwnedAnswer, useOwnedPath } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { AssetFacts, AssetFields, AssetPhotos } from './AssetFacts.tsx'
import { AssetHistory } from './AssetHistory.tsx'
import { AssetLabel } from './AssetLabel.tsx'
import { AssetMaintenance } from './AssetMaintenance.tsx'
import { useAssetFields } from './fields/useFields.ts'
import { LendDialog, ReturnDialog } from './LoanDialogs.tsx'
import { LabelsButton, useOpenedAt } from './parts.tsx'
import { useNames } from './places.ts'
import { AssetBookings } from './reservations/AssetBookings.tsx'
import { TemplatesDialog, useMayBind } from './TemplatesDialog.tsx'
import { TransferDialog } from './TransferDialog.tsx'

const words = texts({
  en: {
    ...common.en,
    lend: 'Lend',
    return: 'Take back',
    transfer: 'Hand over',
    label: 'Print label',
    templates: 'Field templates',
    scrap: 'Scrap',
    someone: 'a former member',
    lent: (who: string) => `Lent to ${who}`,
    due: (who: string, when: string) => `Lent to ${who}. Due back on ${when}`,
    overdue: (who: string, when: string) => `Lent to ${who}. Should have been back on ${when}`,
    missing: (names: string) => `Not filled in yet: ${names}`,
    fillIn: 'Fill in',
    scrapped: (when: string, why: string) => `Scrapped on ${when}${why && `: ${why}`}`,
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText:
      'Its photos are deleted too, and its label leads nowhere. The number becomes free. Results of stock-takings stay. This cannot be undone.',
    force: 'Its reservations end, and their people are notified',
    deleted: 'The asset was deleted.',
    scrapTitle: (name: string) => `Scrap “${name}”?`,
    scrapText:
      'The asset stays in the register as scrapped, is no longer expected in stock-takings and can no longer be lent.',
    scrapDone: 'The asset was scrapped.',
  },
  zh: {
    ...common.zh,
    lend: '借出',
    return: '归还',
    transfer: '转移',
    label: '打印标签',
    templates: '字段模板',
    scrap: '报废',
    someone: '已离开的成员',
    lent: (who: string) => `已借给 ${who}`,
    due: (who: string, when: string) => `已借给 ${who}，应于 ${when} 归还`,
    overdue: (who: string, when: string) => `已借给 ${who}，已逾期：应于 ${when} 归还`,
    missing: (names: string) => `尚未填写：${names}`,
    fillIn: '去填写',
    scrapped: (when: string, why: string) => `已于 ${when} 报废${why && `：${why}`}`,
    removeTitle: (name: string) => `删除“${name}”？`,
    removeText: '照片会一并删除，标签失效，编号可重新使用。盘点结果会保留。此操作无法撤销。',
    force: '结束它的预约，并通知相关人员',
    deleted: '资产已删除。',
    scrapTitle: (name: string) => `报废“${name}”？`,
    scrapText: '资产会保留在台账中并标为已报废，不再参与盘点，也不能借出。',
    scrapDone: '资产已报废。',
  },
})

export default function AssetDetail() {
  const { id } = useParams()
  const query = useCall('assets.get', { params: { id: Number(id) }, query: useRowQuery('assets.get') })
  return <OwnedAnswer query={query}>{(asset) => <Detail asset={asset} />}</OwnedAnswer>
}

type Dialog = 'lend' | 'return' | 'transfer' | 'templates' | 'scrap' | 'delete'

function Detail({ asset }: { asset: Asset }) {
  useRecent('asset', asset.name)
  const t = useTexts(words)
  const may = useMay()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  /** Set by the form: this asset, and those that were registered before it in a row. */
  const { added } = (useLocation().state ?? {}) as { added?: readonly number[] }
  const isScrapped = asset.status === 'SCRAPPED'
  return (
    <Page
      title={asset.name}
      back="/assets"
      actions={
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          {added !== undefined && <LabelsButton ids={added} />}
          {asset.loan === null && !isScrapped && may('assets.checkOut') && (
            <Button startIcon={<Output />} onClick={() => setDialog('lend')}>
              {t.lend}
            </Button>
          )}
          {asset.loan !== null && may('assets.checkIn') && (
            <Button variant="contained" startIcon={<AssignmentReturn />} onClick={() => setDialog('return')}>
              {t.return}
            </Button>
          )}
          {may('assets.update') && (
            <Button
              component={RouterLink}
              to={`/assets/${asset.id}/edit`}
              variant={asset.loan === null ? 'contained' : 'outlined'}
              startIcon={<Edit />}
            >
              {t.edit}
            </Button>
          )}
          <MoreMenu asset={asset} onChoose={setDialog} />
        </Stack>
      }
    >
      <Notices asset={asset} />
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 2fr) minmax(260px, 1fr)' },
        }}
      >
        <Stack spacing={2} sx={{ minWidth: 0 }}>
          <AssetPhotos asset={asset} />
          <AssetFacts asset={asset} />
          <AssetFields asset={asset} />
          <AssetBookings asset={asset} />
          <AssetMaintenance asset={asset} />
        </Stack>
        <Stack spacing={2} sx={{ minWidth: 0 }}>
          <AssetLabel asset={asset} />
          <LabelsOf kind="ASSET" id={asset.id} />
          <FinderCard kind="ASSET" id={asset.id} />
          <AssetHistory asset={asset} />
        </Stack>
      </Box>

      {dialog === 'lend' && <LendDialog asset={asset} onClose={close} />}
      {dialog === 'return' && <ReturnDialog assetId={asset.id} name={asset.name} onClose={close} />}
      {dialog === 'transfer' && <TransferDialog asset={asset} onClose={close} />}
      {dialog === 'templates' && <TemplatesDialog asset={asset} onClose={close} />}
      {dialog === 'scrap' && <ScrapDialog asset={asset} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog asset={asset} onClose={close} />}
    </Page>
  )
}

function DeleteDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const form = useForm(
    'assets.delete',
    { force: false },
    {
      done: t.deleted,
      // Not the asset itself, which is 404 now.
      refreshes: ['assets.list', 'assets.map', 'assetCategories', 'assetReservations'],
      onDone: () => void navigate('/assets', { replace: true }),
      input: ({ force }) => ({ params: { id: asset.id }, query: { ...owned, ...(force && { force }) } }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      form={form}
      title={t.removeTitle(asset.name)}
      text={t.removeText}
      action={t.delete}
      onClose={onClose}
    >
      {/* Asked only after the server has refused it. */}
      {(form.error?.status === 400 || form.values.force) && asset.loan === null && (
        <CheckField {...form.check('force', { label: t.force })} isBox />
      )}
    </ConfirmDialog>
  )
}

function ScrapDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const form = useForm(
    'assets.scrap',
    { reason: '' },
    {
      done: t.scrapDone,
      onDone: onClose,
      input: (body) => ({ params: { id: asset.id }, query: owned, body }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      form={form}
      title={t.scrapTitle(asset.name)}
      text={t.scrapText}
      action={t.scrap}
      onClose={onClose}
    >
      <TextField {...form.text('reason')} multiline />
    </ConfirmDialog>
  )
}

function MoreMenu({ asset, onChoose }: { asset: Asset; onChoose: (dialog: Dialog) => void }) {
  const t = useTexts(words)
  const may = useMay()
  const mayBind = useMayBind()
  const ownedPath = useOwnedPath()
  const choose = (dialog: Dialog) => () => onChoose(dialog)
  return (
    <IconMenu label={t.moreActions} icon={<MoreVert />}>
      {may('assets.transfer') && <MenuEntry icon={<SwapHoriz />} text={t.transfer} onClick={choose('transfer')} />}
      <MenuEntry icon={<Print />} text={t.label} to={ownedPath(`/assets/labels?ids=${asset.id}`)} />
      {mayBind && <MenuEntry icon={<ListAlt />} text={t.templates} onClick={choose('templates')} />}
      {may('assets.scrap') && asset.status !== 'SCRAPPED' && (
        <MenuEntry icon={<RecyclingOutlined />} text={t.scrap} onClick={choose('scrap')} />
      )}
      {may('assets.delete') && <MenuEntry icon={<Delete />} text={t.delete} onClick={choose('delete')} isDestructive />}
    </IconMenu>
  )
}

function Notices({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const may = useMay()
  const names = useNames()
  const { specs, missing } = useAssetFields(asset.id)
  const { loan } = asset
  const borrower = loan === null ? '' : (loan.personName ?? (names.person(loan.userId) || t.someone))
  const now = useOpenedAt()
  const isLate = loan?.dueAt != null && loan.dueAt < now
  const open = specs.filter(({ fieldId }) => missing.includes(fieldId)).map(({ name }) => name)
  return (
    <Stack spacing={1} sx={{ '&:not(:empty)': { mb: 2 } }}>
      {loan !== null && (
        <Alert severity={isLate ? 'warning' : 'info'}>
          {loan.dueAt === null ? t.lent(borrower) : (isLate ? t.overdue : t.due)(borrower, date(loan.dueAt))}
        </Alert>
      )}
      {asset.status === 'LOST' && <LostOffer id={asset.id} />}
      {asset.scrappedAt !== null && (
        <Alert severity="warning">{t.scrapped(date(asset.scrappedAt), asset.scrapReason)}</Alert>
      )}
      {open.length > 0 && (
        <Alert
          severity="info"
          action={
            may('assets.update') && (
              <Button color="inherit" size="small" component={RouterLink} to={`/assets/${asset.id}/edit`}>
                {t.fillIn}
              </Button>
            )
          }
        >
          {t.missing(list(open))}
        </Alert>
      )}
    </Stack>
  )
}
