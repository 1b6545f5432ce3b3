/** Assets of all users and organizations. */

import { DeleteSweep, Inventory2 } from '@mui/icons-material'
import { Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { AdminAsset, FieldValue } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, day, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { UserById } from '../../ui/named.tsx'
import { Facts } from '../../ui/parts.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { ReasonButton } from './ReasonButton.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters, position } from './shared.tsx'

const words = texts({
  en: {
    title: 'Assets',
    none: 'No assets yet',
    noneText: 'Things that users and organizations register are listed here.',
    remove:
      'The asset is deleted, also for its owner. A loan of it ends, and the code on it leads nowhere from now on. This cannot be undone.',
    scrap: 'Scrap',
    scrapTitle: (name: string) => `Mark “${name}” as scrapped?`,
    scrapText: 'The asset stays in the register as scrapped and can no longer be used or lent. This cannot be undone.',
    scrapped: 'The asset is scrapped.',
    reason: 'Reason',
    scrappedAt: 'Scrapped',
    price: 'Price',
    bought: 'Bought',
    supplier: 'Supplier',
    warranty: 'Warranty until',
    loan: 'On loan',
    yes: 'Yes',
    no: 'No',
    position: 'Position',
    values: 'Further fields',
    noValues: 'No further fields.',
    missing: (n: number) => (n === 1 ? 'A required field is empty.' : `${n} required fields are empty.`),
    files: (n: number) => (n === 1 ? '1 file' : `${n} files`),
  },
  zh: {
    title: '资产',
    none: '还没有资产',
    noneText: '用户和组织登记的资产会显示在这里。',
    remove: '资产将被删除，所有者也无法再使用；借用随之结束，资产上的二维码将失效。此操作无法撤销。',
    scrap: '报废',
    scrapTitle: (name: string) => `将“${name}”标记为已报废？`,
    scrapText: '资产会以“已报废”状态保留在台账中，不能再使用或借出。此操作无法撤销。',
    scrapped: '资产已报废。',
    reason: '原因',
    scrappedAt: '报废时间',
    price: '价格',
    bought: '购买日期',
    supplier: '供应商',
    warranty: '保修到期',
    loan: '借出中',
    yes: '是',
    no: '否',
    position: '经纬度',
    values: '扩展字段',
    noValues: '没有扩展字段。',
    missing: (n: number) => `${n} 个必填字段为空。`,
    files: (n: number) => `${n} 个文件`,
  },
})

export default function AssetList() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <DetailTable
      operation="assets.listAll"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'assetStatus', always: true },
        ...ownerFilters,
        { source: 'custodianId', kind: 'user' },
        { source: 'categoryId', kind: 'number' },
        { source: 'locationId', kind: 'number' },
        { source: 'warrantyFrom', kind: 'day' },
        { source: 'warrantyTo', kind: 'day' },
        { source: 'purchaseFrom', kind: 'day' },
        { source: 'purchaseTo', kind: 'day' },
        { source: 'maintenanceTo', kind: 'day' },
        { source: 'countTo', kind: 'day' },
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        { source: 'assetNo' },
        { source: 'status', kind: 'enum', of: 'assetStatus' },
        { source: 'brand', phone: 'hidden' },
        { source: 'model', phone: 'hidden' },
        ownerColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <>
          <AssetFacts row={row} />
          {may('metadata.assetFields') && <Values id={row.id} />}
        </>
      )}
      renderButtons={(row) =>
        row.status !== 'SCRAPPED' && (
          <ReasonButton
            operation="assets.scrapAny"
            params={{ id: row.id }}
            label={t.scrap}
            icon={<DeleteSweep />}
            title={t.scrapTitle(row.name)}
            text={t.scrapText}
            reasonLabel={t.reason}
            done={t.scrapped}
          />
        )
      }
      target="ASSET"
      removal={{ operation: 'assets.deleteAny', param: 'id', text: t.remove }}
      empty={{ icon: Inventory2, title: t.none, text: t.noneText }}
    />
  )
}

function AssetFacts({ row }: { row: AdminAsset }) {
  const t = useTexts(words)
  const f = useLabels()
  const photo = row.photos[0]
  return (
    <>
      {photo && (
        <img
          src={photo.thumbnailUrl ?? photo.url}
          alt={row.name}
          style={{ maxWidth: '100%', maxHeight: 240, objectFit: 'contain', alignSelf: 'flex-start' }}
        />
      )}
      <Facts
        items={[
          [f('status'), <EnumStatus key="status" of="assetStatus" value={row.status} />],
          [f('assetNo'), row.assetNo],
          [f('owner'), <Owner key="owner" row={row} />],
          [f('brand'), row.brand],
          [f('model'), row.model],
          [f('serialNo'), row.serialNo],
          [t.supplier, row.supplier],
          [t.bought, row.purchaseDate && day(row.purchaseDate)],
          [t.price, row.purchasePrice],
          [t.warranty, row.warrantyExpiry && day(row.warrantyExpiry)],
          [f('nextMaintenance'), row.nextMaintenance && day(row.nextMaintenance)],
          [f('nextCountOn'), row.nextCountOn && day(row.nextCountOn)],
          [f('custodianId'), row.custodianId !== null && <UserById key="custodian" id={row.custodianId} />],
          [t.loan, row.loan !== null && t.yes],
          [t.position, position(row.latitude, row.longitude)],
          [f('remark'), row.remark],
          [t.scrappedAt, dateTime(row.scrappedAt)],
          [t.reason, row.scrapReason],
          [f('createdAt'), dateTime(row.createdAt)],
          [f('updatedAt'), dateTime(row.updatedAt)],
          [f('id'), row.id],
        ]}
      />
    </>
  )
}

/** The values of metadata, as the owner of the asset sees them. */
function Values({ id }: { id: number }) {
  const t = useTexts(words)
  const query = useCall('metadata.assetFields', { params: { id } })
  const shown = (field: FieldValue): string => {
    const { value, type } = field
    if (value === null || value === undefined) return ''
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'number') return type === 'DATETIME' ? dateTime(value) : number(value)
    if (Array.isArray(value))
      return type === 'PHOTO' || type === 'ATTACHMENT'
        ? t.files(value.length)
        : value.map((one) => label(field, one)).join(', ')
    if (typeof value === 'object') {
      const { title, address, latitude, longitude } = value as Record<string, string & number>
      return title ?? address ?? position(latitude ?? null, longitude ?? null)
    }
    return label(field, value)
  }
  return (
    <>
      <Typography variant="h3">{t.values}</Typography>
      <Answer query={query}>
        {({ items, missingRequired }) => {
          // Fields that stand for a column are among the facts above.
          const own = items.filter((field) => field.entityColumn === null && shown(field) !== '')
          return (
            <>
              {own.length === 0 ? (
                <Typography color="text.secondary">{t.noValues}</Typography>
              ) : (
                <Facts items={own.map((field) => [field.name, shown(field)])} />
              )}
              {missingRequired.length > 0 && (
                <Typography color="text.secondary" variant="body2">
                  {t.missing(missingRequired.length)}
                </Typography>
              )}
            </>
          )
        }}
      </Answer>
    </>
  )
}

/** The label of an option, or the value itself. */
function label({ config }: FieldValue, value: unknown): string {
  const options = (config as { options?: { value: string; label: string }[] } | null)?.options
  return options?.find((option) => option.value === value)?.label ?? String(value)
}
