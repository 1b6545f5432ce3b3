/** Registers an asset or changes one: `/assets/new`, `/assets/:id/edit`. The fields are those of the templates of its category. */

import { ExpandMore } from '@mui/icons-material'
import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Box,
  Button,
  Card,
  CardContent,
  Checkbox,
  FormControlLabel,
  FormGroup,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Asset, AssetStatus } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { FieldInput } from './fields/FieldInput.tsx'
import { FilesInput } from './fields/FilesInput.tsx'
import { changedValues, type FieldSpec, type FileItem, grouped, type Values } from './fields/model.ts'
import { useAssetFields, useFieldsOfCategory } from './fields/useFields.ts'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'
import { Choice } from './parts.tsx'
import { PUBLIC_COLUMNS, useColumn } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'Register asset',
    edit: (name: string) => `Edit ${name}`,
    basics: 'Basics',
    number: 'Asset number',
    numberHelp: 'Leave it empty to get the next number.',
    category: 'Category',
    categoryHelp: 'The category decides which fields are shown below.',
    status: 'Status',
    location: 'Location',
    custodian: 'Custodian',
    photos: 'Photos',
    details: 'Details',
    more: 'More fields',
    position: 'Position',
    latitude: 'Latitude',
    longitude: 'Longitude',
    public: 'Public page',
    publicHelp: 'People who scan the label see what you choose here. With nothing chosen, the page does not exist.',
    create: 'Register',
    another: 'Register and add another',
    saved: 'The asset was saved.',
    created: 'The asset was registered.',
  },
  zh: {
    ...common.zh,
    add: '登记资产',
    edit: (name: string) => `编辑 ${name}`,
    basics: '基本信息',
    number: '资产编号',
    numberHelp: '留空则自动编号。',
    category: '分类',
    categoryHelp: '下方显示的字段由分类决定。',
    status: '状态',
    location: '位置',
    custodian: '保管人',
    photos: '照片',
    details: '详细信息',
    more: '更多字段',
    position: '经纬度',
    latitude: '纬度',
    longitude: '经度',
    public: '公开页面',
    publicHelp: '扫描标签的人会看到所选内容。全部不选则没有公开页面。',
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

interface Draft {
  readonly name: string
  readonly assetNo: string
  readonly categoryId: number | null
  readonly status: AssetStatus
  readonly locationId: number | null
  readonly custodianId: number | null
  readonly photos: readonly FileItem[]
  readonly latitude: string
  readonly longitude: string
  readonly publicFields: readonly string[]
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

function Form({ asset, first, onAnother }: { asset?: Asset; first: Draft; onAnother?: (draft: Draft) => void }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const navigate = useNavigate()
  const may = useMay()
  const statuses = useChoices('assetStatus')
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
    const { latitude, longitude, photos, assetNo, publicFields, ...plain } = draft
    const body = {
      ...plain,
      ...(assetNo !== '' && { assetNo }),
      photos: photos.map(({ fileId }) => fileId),
      latitude: degrees(latitude),
      longitude: degrees(longitude),
      publicFields: [...publicFields],
      ...(changes.length > 0 && { values: changes }),
    }
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
        <Section title={t.basics}>
          <TextField
            label={t.name}
            required
            autoFocus={asset === undefined}
            value={draft.name}
            onChange={(e) => set('name', e.target.value)}
            error={problem('name') !== undefined}
            helperText={problem('name')}
          />
          <TextField
            label={t.number}
            value={draft.assetNo}
            onChange={(e) => set('assetNo', e.target.value)}
            error={problem('assetNo') !== undefined}
            helperText={problem('assetNo') ?? (asset === undefined ? t.numberHelp : undefined)}
          />
          <CategoryPicker
            label={t.category}
            value={draft.categoryId}
            onChange={(id) => set('categoryId', id)}
            error={problem('categoryId')}
            help={t.categoryHelp}
          />
          <Choice
            label={t.status}
            value={draft.status}
            choices={statuses.filter(({ id }) => id !== 'SCRAPPED' || asset?.status === 'SCRAPPED')}
            onChange={(status) => set('status', status as AssetStatus)}
            error={problem('status')}
            disabled={asset?.status === 'SCRAPPED'}
          />
          {workspace !== null && (
            <>
              <LocationPicker
                label={t.location}
                value={draft.locationId}
                onChange={(id) => set('locationId', id)}
                error={problem('locationId')}
              />
              <PersonPicker
                label={t.custodian}
                value={draft.custodianId}
                onChange={(id) => set('custodianId', id)}
                error={problem('custodianId')}
              />
            </>
          )}
          <Box sx={{ gridColumn: '1 / -1' }}>
            <FilesInput
              label={t.photos}
              isPhotos
              hasCover
              max={5}
              value={draft.photos}
              onChange={(change) => setDraft((now) => ({ ...now, photos: change(now.photos) }))}
              error={problem('photos')}
            />
          </Box>
        </Section>

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
          <Grid>
            {(['latitude', 'longitude'] as const).map((key) => (
              <TextField
                key={key}
                label={t[key]}
                value={draft[key]}
                onChange={(e) => set(key, e.target.value)}
                error={problem(key) !== undefined}
                helperText={problem(key)}
                slotProps={{ htmlInput: { inputMode: 'decimal' } }}
              />
            ))}
          </Grid>
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

/** Types that need the whole width. */
const WIDE: ReadonlySet<string> = new Set(['TEXTAREA', 'GEO', 'PHOTO', 'ATTACHMENT', 'CHECKBOX', 'RADIO'])

const Grid = ({ children }: { children: React.ReactNode }) => (
  <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' } }}>
    {children}
  </Box>
)

const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <Card variant="outlined">
    <CardContent>
      <Typography variant="h2" sx={{ mb: 2 }}>
        {title}
      </Typography>
      <Grid>{children}</Grid>
    </CardContent>
  </Card>
)

const More = ({ title, isOpen, children }: { title: string; isOpen: boolean; children: React.ReactNode }) => (
  <Accordion
    variant="outlined"
    sx={{ '&&': { borderRadius: 1 }, '&::before': { display: 'none' } }}
    disableGutters
    defaultExpanded={isOpen}
    slotProps={{ heading: { component: 'h2' }, transition: { unmountOnExit: true } }}
  >
    <AccordionSummary expandIcon={<ExpandMore />}>
      <Typography variant="h2" component="span">
        {title}
      </Typography>
    </AccordionSummary>
    <AccordionDetails>{children}</AccordionDetails>
  </Accordion>
)

function PublicFields({
  specs,
  value,
  onChange,
}: {
  specs: readonly FieldSpec[]
  value: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  const t = useTexts(words)
  const column = useColumn()
  const choices = [
    ...PUBLIC_COLUMNS.map((name) => [name, column(name)] as const),
    ...specs
      .filter((spec) => spec.column === null && !['REF', 'ATTACHMENT', 'PHOTO'].includes(spec.type))
      .map((spec) => [`field:${spec.fieldId}`, spec.name] as const),
  ]
  return (
    <>
      <Typography color="text.secondary" variant="body2" sx={{ mb: 1 }}>
        {t.publicHelp}
      </Typography>
      <FormGroup row>
        {choices.map(([name, label]) => (
          <FormControlLabel
            key={name}
            label={label}
            sx={{ minWidth: 150 }}
            control={
              <Checkbox
                checked={value.includes(name)}
                onChange={(_, isOn) => onChange(isOn ? [...value, name] : value.filter((one) => one !== name))}
              />
            }
          />
        ))}
      </FormGroup>
    </>
  )
}
