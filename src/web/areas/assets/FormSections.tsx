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
import { type ReactNode, useState } from 'react'

import type { Asset, AssetStatus } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner } from '../../session/session.ts'
import type { Form } from '../../ui/use-form.tsx'
import { FilesInput } from './fields/FilesInput.tsx'
import type { FieldSpec, FileItem, Values } from './fields/model.ts'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'
import { PUBLIC_COLUMNS, useColumn } from './words.ts'

const words = texts({
  en: {
    basics: 'Basics',
    numberHelp: 'Leave it empty to get the next number.',
    category: 'Category',
    categoryHelp: 'The category decides which fields are shown below.',
    location: 'Location',
    photos: 'Photos',
    bookable: 'Can be reserved',
    bookings: { CATEGORY: 'As its category', YES: 'Yes', NO: 'No' },
    publicHelp: 'People who scan the label see what you choose here. With nothing chosen, the page does not exist.',
  },
  zh: {
    basics: '基本信息',
    numberHelp: '留空则自动编号。',
    category: '分类',
    categoryHelp: '下方显示的字段由分类决定。',
    location: '位置',
    photos: '照片',
    bookable: '可预约',
    bookings: { CATEGORY: '同分类', YES: '是', NO: '否' },
    publicHelp: '扫描标签的人会看到所选内容。全部不选则没有公开页面。',
  },
})

/** `CATEGORY`: as its category says. */
export type Bookable = 'CATEGORY' | 'YES' | 'NO'

export interface Draft {
  readonly name: string
  readonly assetNo: string
  readonly categoryId: number | null
  readonly status: AssetStatus
  readonly locationId: number | null
  /** `YYYY-MM-DD`, or empty. */
  readonly nextCountOn: string
  readonly custodianId: number | null
  /** Whether members may reserve it. */
  readonly bookable: Bookable
  readonly photos: readonly FileItem[]
  readonly latitude: number | null
  readonly longitude: number | null
  readonly publicFields: readonly string[]
  /** Values of metadata fields that were edited, by the ids of the fields. */
  readonly edited: Values
  /** The values of metadata fields before. Shown if others have changed them meanwhile. */
  readonly stored?: NonNullable<Asset['values']>
}

interface BasicsProps {
  asset: Asset | undefined
  form: Form<Draft>
  label: ReactNode
}

/** The fields that every asset has. */
export function Basics({ asset, form, label }: BasicsProps) {
  const t = useTexts(words)
  const owner = useOwner()
  const isScrapped = asset?.status === 'SCRAPPED'
  return (
    <Section title={t.basics}>
      <TextField {...form.text('name')} autoFocus={asset === undefined} />
      <TextField {...form.text('assetNo', { help: asset === undefined ? t.numberHelp : undefined })} />
      <CategoryPicker {...form.pick('categoryId', { label: t.category, help: t.categoryHelp })} />
      <TextField
        {...form.choice('status', 'assetStatus', { ...(!isScrapped && { only: STATUSES }) })}
        disabled={isScrapped}
      />
      {owner !== null && (
        <>
          <LocationPicker {...form.pick('locationId', { label: t.location })} />
          <PersonPicker {...form.pick('custodianId')} />
          <TextField {...form.choice('bookable', t.bookings, { label: t.bookable })} />
        </>
      )}
      <TextField {...form.text('nextCountOn')} type="date" slotProps={{ inputLabel: { shrink: true } }} />
      {label}
      <Box sx={{ gridColumn: '1 / -1' }}>
        <FilesInput
          label={t.photos}
          isPhotos
          hasCover
          max={5}
          value={form.values.photos}
          onChange={(change) => form.set((now) => ({ photos: change(now.photos) }))}
          error={form.problem('photos')}
        />
      </Box>
    </Section>
  )
}

/** Scrapping has a dialog of its own. */
const STATUSES: readonly AssetStatus[] = ['IN_USE', 'IDLE', 'REPAIR', 'LOST']

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

interface MoreProps {
  title: string
  isOpen: boolean
  /** It cannot be closed while a problem is in it. */
  hasProblem?: boolean
  children: React.ReactNode
}

/** A section that is closed at first, because few people need it. */
export function More({ title, isOpen, hasProblem = false, children }: MoreProps) {
  const [isExpanded, setExpanded] = useState(isOpen)
  return (
    <Accordion
      variant="outlined"
      sx={{ '&&': { borderRadius: 1 }, '&::before': { display: 'none' } }}
      disableGutters
      expanded={isExpanded || hasProblem}
      onChange={(_, isNow) => setExpanded(isNow)}
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
}

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
