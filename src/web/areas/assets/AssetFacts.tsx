/** Photos, columns and metadata fields on the page of an asset. */

import { Box, Card, CardContent, Link, Typography } from '@mui/material'

import type { Asset } from '../../api/types.ts'
import { dateTime, day, number, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { MapLink } from '../../ui/MapLink.tsx'
import { endOfDay, FieldValueText } from './fields/FieldValueText.tsx'
import { grouped, isEmpty } from './fields/model.ts'
import { useAssetFields } from './fields/useFields.ts'
import { Fact, Status, useOpenedAt } from './parts.tsx'
import { useNames } from './places.ts'
import { useColumn } from './words.ts'

const words = texts({
  en: {
    warranty: 'ended',
    position: 'Position',
    registered: 'Registered',
    changed: 'Changed',
    details: 'Details',
    other: 'Other fields',
    photo: (n: number, name: string) => `Photo ${n} of ${name}`,
  },
  zh: {
    warranty: '已过期',
    position: '经纬度',
    registered: '登记时间',
    changed: '修改时间',
    details: '详细信息',
    other: '其他字段',
    photo: (n: number, name: string) => `${name} 的第 ${n} 张照片`,
  },
})

export function AssetPhotos({ asset: { photos, name } }: { asset: Pick<Asset, 'photos' | 'name'> }) {
  const t = useTexts(words)
  if (photos.length === 0) return null
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1,
        gridTemplateColumns: COLUMNS[photos.length] ?? { xs: '1fr 1fr', sm: '2fr 1fr 1fr' },
        gridAutoRows: photos.length === 1 ? { xs: 110, sm: 170 } : { xs: 130, sm: 120 },
      }}
    >
      {photos.map(({ fileId, url, thumbnailUrl }, i) => (
        <Link
          key={fileId}
          href={url}
          target="_blank"
          rel="noopener"
          sx={{ gridRow: i === 0 || photos.length === 2 ? 'span 2' : 'auto', display: 'block', minHeight: 0 }}
        >
          <Box
            component="img"
            src={i === 0 ? url : (thumbnailUrl ?? url)}
            alt={t.photo(i + 1, name)}
            sx={{ width: '100%', height: '100%', objectFit: 'cover', borderRadius: 1.5, display: 'block' }}
          />
        </Link>
      ))}
    </Box>
  )
}

const FactGrid = ({ children }: { children: React.ReactNode }) => (
  <Box
    component="dl"
    sx={{ m: 0, display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 150px), 1fr))' }}
  >
    {children}
  </Box>
)

export function AssetFacts({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const column = useColumn()
  const names = useNames()
  const now = useOpenedAt()
  const { latitude, longitude } = asset
  return (
    <Card variant="outlined">
      <CardContent>
        <FactGrid>
          {/* People come here to learn where it is and which person has it. */}
          <Fact label={column('custodian')}>{names.person(asset.custodianId)}</Fact>
          <Fact label={column('location')}>{names.location(asset.locationId)}</Fact>
          <Fact label={column('status')}>
            <Status status={asset.status} />
          </Fact>
          <Fact label={column('assetNo')}>{asset.assetNo}</Fact>
          <Fact label={column('category')}>{names.category(asset.categoryId)}</Fact>
          <Fact label={column('brand')}>{asset.brand}</Fact>
          <Fact label={column('model')}>{asset.model}</Fact>
          <Fact label={column('serialNo')}>{asset.serialNo}</Fact>
          <Fact label={column('supplier')}>{asset.supplier}</Fact>
          <Fact label={column('purchaseDate')}>{day(asset.purchaseDate)}</Fact>
          <Fact label={column('purchasePrice')}>
            {asset.purchasePrice === null ? '' : number(Number(asset.purchasePrice))}
          </Fact>
          <Fact label={column('warrantyExpiry')}>
            {asset.warrantyExpiry !== null &&
              withNote(day(asset.warrantyExpiry), endOfDay(asset.warrantyExpiry) < now && t.warranty)}
          </Fact>
          <Fact label={column('nextMaintenance')}>{day(asset.nextMaintenance)}</Fact>
          <Fact label={column('lastCountedOn')}>{day(asset.lastCountedOn)}</Fact>
          <Fact label={column('nextCountOn')}>{day(asset.nextCountOn)}</Fact>
          <Fact label={t.position}>
            {latitude !== null && longitude !== null && (
              <MapLink latitude={latitude} longitude={longitude} name={asset.name} />
            )}
          </Fact>
          <Fact label={t.registered}>{dateTime(asset.createdAt)}</Fact>
          <Fact label={t.changed}>{dateTime(asset.updatedAt)}</Fact>
        </FactGrid>
        {asset.remark !== '' && (
          <Box component="dl" sx={{ m: 0, mt: 2, whiteSpace: 'pre-wrap' }}>
            <Fact label={column('remark')}>{asset.remark}</Fact>
          </Box>
        )}
      </CardContent>
    </Card>
  )
}

/** Columns of the grid by the number of photos. Of more than three, one is large. */
const COLUMNS: Readonly<Record<number, string>> = { 1: '1fr', 2: '1fr 1fr', 3: '2fr 1fr' }

/** Metadata fields with a value; those that stand for columns are among the facts. */
export function AssetFields({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const { specs, values } = useAssetFields(asset.id)
  const shown = specs.filter(({ fieldId, column }) => column === null && !isEmpty(values[fieldId]))
  if (shown.length === 0) return null
  return grouped(shown.map((spec) => ({ ...spec, group: spec.inForce ? spec.group || t.details : t.other }))).map(
    ([group, fields]) => (
      <Card key={group} variant="outlined">
        <CardContent>
          <Typography variant="h2" sx={{ mb: 2 }}>
            {group}
          </Typography>
          <FactGrid>
            {fields.map((spec) => (
              <Fact key={spec.fieldId} label={spec.name}>
                <FieldValueText spec={spec} value={values[spec.fieldId]} />
              </Fact>
            ))}
          </FactGrid>
        </CardContent>
      </Card>
    ),
  )
}
