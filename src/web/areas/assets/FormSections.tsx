/** Sections of the form of an asset. */

import { ExpandMore } from '@mui/icons-material'
import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Box,
  Card,
  CardContent,
  Checkbox,
  FormControlLabel,
  FormGroup,
  TextField,
  Typography,
} from '@mui/material'

import type { Asset, AssetStatus } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { FilesInput } from './fields/FilesInput.tsx'
import type { FieldSpec, FileItem } from './fields/model.ts'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'
import { Choice } from './parts.tsx'
import { PUBLIC_COLUMNS, useColumn } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    basics: 'Basics',
    number: 'Asset number',
    numberHelp: 'Leave it empty to get the next number.',
    category: 'Category',
    categoryHelp: 'The category decides which fields are shown below.',
    status: 'Status',
    location: 'Location',
    custodian: 'Custodian',
    photos: 'Photos',
    publicHelp: 'People who scan the label see what you choose here. With nothing chosen, the page does not exist.',
  },
  zh: {
    ...common.zh,
    basics: '基本信息',
    number: '资产编号',
    numberHelp: '留空则自动编号。',
    category: '分类',
    categoryHelp: '下方显示的字段由分类决定。',
    status: '状态',
    location: '位置',
    custodian: '保管人',
    photos: '照片',
    publicHelp: '扫描标签的人会看到所选内容。全部不选则没有公开页面。',
  },
})

export interface Draft {
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

interface BasicsProps {
  asset: Asset | undefined
  draft: Draft
  onChange: (change: (draft: Draft) => Draft) => void
  problem: (field: string) => string | undefined
}

/** The fields that every asset has. */
export function Basics({ asset, draft, onChange, problem }: BasicsProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const statuses = useChoices('assetStatus')
  const set = <K extends keyof Draft>(key: K, value: Draft[K]) => onChange((now) => ({ ...now, [key]: value }))
  return (
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
          onChange={(change) => onChange((now) => ({ ...now, photos: change(now.photos) }))}
          error={problem('photos')}
        />
      </Box>
    </Section>
  )
}

/** Fields in two columns, on phones in one. */
export const Grid = ({ children }: { children: React.ReactNode }) => (
  <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' } }}>
    {children}
  </Box>
)

export const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <Card variant="outlined">
    <CardContent>
      <Typography variant="h2" sx={{ mb: 2 }}>
        {title}
      </Typography>
      <Grid>{children}</Grid>
    </CardContent>
  </Card>
)

/** A section that is closed at first, because few people need it. */
export const More = ({ title, isOpen, children }: { title: string; isOpen: boolean; children: React.ReactNode }) => (
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

/** Chooses the facts of the public page. */
export function PublicFields({
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
