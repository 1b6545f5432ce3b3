/** Registers an asset or changes one: `/assets/new`, `/assets/:id/edit`. The fields are those of the templates of its category. */

import { Box, Button, Stack, TextField } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Asset } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { FieldInput } from './fields/FieldInput.tsx'
import { changedValues, type FieldSpec, grouped, type Values } from './fields/model.ts'
import { useAssetFields, useFieldsOfCategory } from './fields/useFields.ts'
import { Basics, type Draft, Grid, More, PublicFields, Section } from './FormSections.tsx'

const words = texts({
  en: {
    ...common.en,
    add: 'Add asset',
    edit: (name: string) => `Edit ${name}`,
    details: 'Details',
    more: 'More fields',
    position: 'Position',
    latitude: 'Latitude',
    longitude: 'Longitude',
    public: 'Public page',
    create: 'Register',
    another: 'Register and add another',
    saved: 'The asset was saved.',
    created: 'The asset was registered.',
  },
  zh: {
    ...common.zh,
    add: '登记资产',
    edit: (name: string) => `编辑 ${name}`,
    details: '详细信息',
    more: '更多字段',
    position: '经纬度',
    latitude: '纬度',
    longitude: '经度',
    public: '公开页面',
    create: '登记',
    another: '登记并继续添加',
    saved: '资产已保存。',
    created: '资产已登记。',
  },
})

export default function AssetForm() {
  const { id } = useParams()
  const query = useCall(
    'assets.get',
    { params: { id: Number(id) }, query: ownerQuery() },
    { enabled: id !== undefined },
  )
  if (id === undefined) return <NewAsset />
  return <Answer query={query}>{(asset) => <ExistingAsset key={asset.id} asset={asset} />}</Answer>
}

/** A fresh form after "Register and add another", which keeps category and place. */
function NewAsset() {
  // A scan that found nothing leads here with the number of its label.
  const [params] = useSearchParams()
  const [start, setStart] = useState<{ readonly n: number; readonly draft?: Draft }>({ n: 0 })
  return (
    <Form
      key={start.n}
      first={start.draft ?? { ...EMPTY, assetNo: params.get('assetNo') ?? '' }}
      onAnother={({ categoryId, locationId, custodianId, status }) =>
        setStart(({ n }) => ({ n: n + 1, draft: { ...EMPTY, categoryId, locationId, custodianId, status } }))
      }
    />
  )
}

function ExistingAsset({ asset }: { asset: Asset }) {
  const { isLoading } = useAssetFields(asset.id)
  if (isLoading) return null
  return <Form asset={asset} first={draftOf(asset)} />
}

const EMPTY: Draft = {
  name: '',
  assetNo: '',
  categoryId: null,
  status: 'IN_USE',
  locationId: null,
  custodianId: null,
  photos: [],
  latitude: '',
  longitude: '',
  publicFields: [],
}

const draftOf = (asset: Asset): Draft => ({
  name: asset.name,
  assetNo: asset.assetNo,
  categoryId: asset.categoryId,
  status: asset.status,
  locationId: asset.locationId,
  custodianId: asset.custodianId,
  photos: asset.photos,
  latitude: asset.latitude === null ? '' : String(asset.latitude),
  longitude: asset.longitude === null ? '' : String(asset.longitude),
  publicFields: asset.publicFields,
})

const degrees = (text: string) => (text.trim() === '' ? null : Number(text.trim().replace(',', '.')))

const bodyOf = ({ latitude, longitude, photos, assetNo, publicFields, ...plain }: Draft) => ({
  ...plain,
  ...(assetNo !== '' && { assetNo }),
  photos: photos.map(({ fileId }) => fileId),
  latitude: degrees(latitude),
  longitude: degrees(longitude),
  publicFields: [...publicFields],
})

function Form({ asset, first, onAnother }: { asset?: Asset; first: Draft; onAnother?: (draft: Draft) => void }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const may = useMay()
  const [draft, setDraft] = useState(first)
  const stored = useAssetFields(asset?.id)
  const inSameCategory = asset !== undefined && draft.categoryId === asset.categoryId
  const ofCategory = useFieldsOfCategory(draft.categoryId, !inSameCategory)
  const specs = (inSameCategory ? stored.specs : ofCategory).filter((spec) => spec.writable || asset !== undefined)
  const [edited, setEdited] = useState<Values>({})
  const [isAnother, setAnother] = useState(false)

  const defaults: Values =
    asset === undefined
      ? Object.fromEntries(
          specs.flatMap(({ fieldId, config }) => (config.default === undefined ? [] : [[fieldId, config.default]])),
        )
      : stored.values
  const values: Values = { ...defaults, ...edited }
  const changes = changedValues(specs, asset === undefined ? {} : stored.values, values)

  const leave = (id: number) => navigate(`/assets/${id}`, { replace: true })
  const create = useAction('assets.create', {
    done: t.created,
    refreshes: ['assets', 'assetCategories'],
    quiet: true,
    onDone: ({ id }) => (isAnother ? onAnother?.(draft) : void leave(id)),
  })
  const update = useAction('assets.update', {
    done: t.saved,
    refreshes: ['assets', 'assetCategories', 'metadata'],
    quiet: true,
    onDone: ({ id }) => void leave(id),
  })
  const action = asset === undefined ? create : update

  const set = <K extends keyof Draft>(key: K, value: Draft[K]) => setDraft((now) => ({ ...now, [key]: value }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { ...bodyOf(draft), ...(changes.length > 0 && { values: changes }) }
    if (asset === undefined) create.mutate({ query: ownerQuery(), body })
    else {
      // The status SCRAPPED is set by scrapping only, and clients may repeat it unchanged.
      update.mutate({ params: { id: asset.id }, query: ownerQuery(), body })
    }
  }
  const problem = (field: string) => action.error?.problem(field)
  const problemOf = (spec: FieldSpec) => {
    const at = changes.findIndex(({ fieldId }) => fieldId === spec.fieldId)
    const { details = [] } = action.error ?? {}
    return details.find(({ path }) => path.startsWith(`body.values.${at}.`) || path === `body.${spec.column}`)?.message
  }
  const field = (spec: FieldSpec) => (
    <Box key={spec.fieldId} sx={{ gridColumn: WIDE.has(spec.type) ? '1 / -1' : 'auto', minWidth: 0 }}>
      <FieldInput
        spec={spec}
        value={values[spec.fieldId]}
        onChange={(change) =>
          setEdited((now) => ({ ...now, [spec.fieldId]: change(now[spec.fieldId] ?? values[spec.fieldId]) }))
        }
        error={problemOf(spec)}
        disabled={!spec.writable}
      />
    </Box>
  )
  const inForce = specs.filter((spec) => spec.inForce)
  const others = specs.filter((spec) => !spec.inForce)
  const isRefused = action.error !== null && action.error !== undefined

  return (
    <Page
      title={asset === undefined ? t.add : t.edit(asset.name)}
      back={asset === undefined ? '/assets' : `/assets/${asset.id}`}
      width={900}
    >
      <Stack component="form" spacing={2} onSubmit={submit} noValidate={false}>
        <Basics asset={asset} draft={draft} onChange={setDraft} problem={problem} />

        {grouped(inForce).map(([group, fields]) => (
          <Section key={group} title={group || t.details}>
            {fields.map(field)}
          </Section>
        ))}

        {others.length > 0 && (
          <More title={t.more} isOpen={others.some((spec) => problemOf(spec) !== undefined)}>
            <Grid>{others.map(field)}</Grid>
          </More>
        )}
        <More title={t.position} isOpen={draft.latitude !== '' || problem('latitude') !== undefined}>
          <Position draft={draft} onChange={set} problem={problem} />
        </More>
        <More title={t.public} isOpen={false}>
          <PublicFields specs={specs} value={draft.publicFields} onChange={(chosen) => set('publicFields', chosen)} />
        </More>

        {isRefused && <ErrorNotice error={action.error} />}
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          <Button type="submit" variant="contained" loading={action.isPending} onClick={() => setAnother(false)}>
            {asset === undefined ? t.create : t.save}
          </Button>
          {asset === undefined && may('assets.create') && (
            <Button type="submit" variant="outlined" disabled={action.isPending} onClick={() => setAnother(true)}>
              {t.another}
            </Button>
          )}
          <Button onClick={() => void navigate(-1)}>{t.cancel}</Button>
        </Stack>
      </Stack>
    </Page>
  )
}

interface PositionProps {
  draft: Draft
  onChange: (key: 'latitude' | 'longitude', value: string) => void
  problem: (field: string) => string | undefined
}

function Position({ draft, onChange, problem }: PositionProps) {
  const t = useTexts(words)
  return (
    <Grid>
      {(['latitude', 'longitude'] as const).map((key) => (
        <TextField
          key={key}
          label={t[key]}
          value={draft[key]}
          onChange={(e) => onChange(key, e.target.value)}
          error={problem(key) !== undefined}
          helperText={problem(key)}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        />
      ))}
    </Grid>
  )
}

/** Types that need the whole width. */
const WIDE: ReadonlySet<string> = new Set(['TEXTAREA', 'GEO', 'PHOTO', 'ATTACHMENT', 'CHECKBOX', 'RADIO'])
