/** How the labels look: medium, code, texts, and the corrections of the printer. */

import {
  Box,
  Button,
  Checkbox,
  Collapse,
  FormControl,
  FormControlLabel,
  FormGroup,
  FormLabel,
  TextField,
  Typography,
} from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner } from '../../session/session.ts'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { NumberSetting } from './inputs.tsx'
import type { Settings } from './label-order.ts'
import { LabelCalibration } from './LabelCalibration.tsx'

const words = texts({
  en: {
    medium: 'Medium',
    roll: (width: number, height: number) => `Roll ${width} × ${height} mm`,
    own: 'Own size (roll)',
    width: 'Width (mm)',
    height: 'Height (mm)',
    symbology: 'Code',
    symbologies: { QR: 'QR code', DATA_MATRIX: 'Data Matrix', CODE_128: 'Code 128 (bars)' },
    content: 'The code holds',
    contents: { LINK: 'The link to the asset', NUMBER: 'The asset number' },
    placement: 'Place of the code',
    placements: { LEFT: 'Left of the texts', TOP: 'Above the texts', ONLY: 'No texts' },
    texts: 'Texts (at most six)',
    columns: {
      name: 'Name',
      assetNo: 'Asset number',
      category: 'Category',
      location: 'Location',
      custodian: 'Custodian',
      brand: 'Brand',
      model: 'Model',
      serialNo: 'Serial number',
      purchaseDate: 'Purchase date',
      owner: 'Organization',
    },
    fixed: 'Fixed text',
    fieldLabels: 'Say what each text is',
    logo: 'Picture of the organization',
    border: 'Frame',
    rotate: 'Turned by 90°',
    corrections: 'Corrections of the printer',
    help: 'Print a calibration page and measure it. Positive offsets move labels to the right and down.',
    offsetX: 'To the right (mm)',
    offsetY: 'Down (mm)',
    scaleX: 'Width factor',
    scaleY: 'Height factor',
  },
  zh: {
    medium: '介质',
    roll: (width: number, height: number) => `卷纸 ${width} × ${height} 毫米`,
    own: '自定义尺寸（卷）',
    width: '宽（毫米）',
    height: '高（毫米）',
    symbology: '码制',
    symbologies: { QR: '二维码', DATA_MATRIX: 'Data Matrix', CODE_128: 'Code 128（条码）' },
    content: '码的内容',
    contents: { LINK: '资产链接', NUMBER: '资产编号' },
    placement: '码的位置',
    placements: { LEFT: '文字左侧', TOP: '文字上方', ONLY: '不含文字' },
    texts: '文字（最多六项）',
    columns: {
      name: '名称',
      assetNo: '资产编号',
      category: '分类',
      location: '位置',
      custodian: '保管人',
      brand: '品牌',
      model: '型号',
      serialNo: '序列号',
      purchaseDate: '购买日期',
      owner: '组织',
    },
    fixed: '固定文字',
    fieldLabels: '文字前标注名称',
    logo: '组织图片',
    border: '边框',
    rotate: '旋转 90°',
    corrections: '打印机校正',
    help: '打印校准页并测量。正的偏移使标签向右、向下移动。',
    offsetX: '向右（毫米）',
    offsetY: '向下（毫米）',
    scaleX: '宽度系数',
    scaleY: '高度系数',
  },
})

type Columns = keyof (typeof words)['en']['columns']
const COLUMNS: readonly Columns[] = [
  'name',
  'assetNo',
  'category',
  'location',
  'custodian',
  'brand',
  'model',
  'serialNo',
  'purchaseDate',
  'owner',
]
const OF_PLACES: readonly Columns[] = ['name', 'location', 'owner']
const MAX_FIELDS = 6
const MAX_TEXT = 60
const TEXT = 'text:'
const OWN = 'own'

interface Props {
  settings: Settings
  onChange: (settings: Settings) => void
  isPlaces: boolean
}

const choicesOf = <T extends string>(names: Readonly<Record<T, string>>) =>
  Object.entries(names).map(([id, name]) => ({ id, name: name as string }))

export function LabelSettings({ settings, onChange, isPlaces }: Props) {
  const t = useTexts(words)
  const owner = useOwner()
  const { data } = useCall('labelProfiles.media')
  const { media, symbology } = settings
  const set = (part: Partial<Settings>) => onChange({ ...settings, ...part })
  const setMedium = (key: string) => {
    const found = data?.items.find((one) => one.key === key)
    if (found !== undefined) {
      const { name: _, ...medium } = found
      set({ media: medium })
    } else
      set({
        media: {
          ...media,
          type: 'ROLL',
          key: null,
          width: Math.max(5, media.width),
          height: Math.max(5, media.height),
        },
      })
  }
  const size = (length: number | null): number => Math.min(300, Math.max(5, length ?? 5))
  return (
    <>
      <ChoiceField
        name="medium"
        label={t.medium}
        value={media.key ?? OWN}
        onChange={setMedium}
        choices={[
          ...(data?.items ?? []).map(({ key, name, width, height }) => ({
            id: key,
            // The others are called after their makers.
            name: key.startsWith('roll-') ? t.roll(width, height) : name,
          })),
          { id: OWN, name: t.own },
        ]}
      />
      {media.key === null && media.type === 'ROLL' && (
        <Two>
          <NumberSetting
            name="width"
            label={t.width}
            value={media.width}
            onChange={(n) => set({ media: { ...media, width: size(n) } })}
          />
          <NumberSetting
            name="height"
            label={t.height}
            value={media.height}
            onChange={(n) => set({ media: { ...media, height: size(n) } })}
          />
        </Two>
      )}
      <ChoiceField
        name="symbology"
        label={t.symbology}
        value={symbology}
        onChange={(value) => set({ symbology: value, ...(value === 'CODE_128' && { content: 'NUMBER' }) })}
        choices={choicesOf(t.symbologies).filter(({ id }) => !isPlaces || id !== 'CODE_128')}
      />
      {symbology !== 'CODE_128' && !isPlaces && (
        <ChoiceField
          name="content"
          label={t.content}
          value={settings.content}
          onChange={(content) => set({ content })}
          choices={choicesOf(t.contents)}
        />
      )}
      <ChoiceField
        name="placement"
        label={t.placement}
        value={settings.placement}
        onChange={(placement) => set({ placement })}
        choices={choicesOf(t.placements)}
      />
      {settings.placement !== 'ONLY' && <Texts settings={settings} onChange={onChange} isPlaces={isPlaces} />}
      <FormGroup>
        {owner !== null && (
          <CheckField name="logo" label={t.logo} value={settings.logo} onChange={(logo) => set({ logo })} isBox />
        )}
        <CheckField
          name="border"
          label={t.border}
          value={settings.border}
          onChange={(border) => set({ border })}
          isBox
        />
        <CheckField
          name="rotate"
          label={t.rotate}
          value={settings.rotate === 90}
          onChange={(isOn) => set({ rotate: isOn ? 90 : 0 })}
          isBox
        />
      </FormGroup>
      <Corrections settings={settings} onChange={onChange} />
    </>
  )
}

const Two = ({ children }: { children: ReactNode }) => (
  <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: '1fr 1fr' }}>{children}</Box>
)

/** In the order in which they are ticked: the first one is bold. */
function Texts({ settings, onChange, isPlaces }: Props) {
  const t = useTexts(words)
  const { fields } = settings
  const set = (next: readonly string[]) => onChange({ ...settings, fields: [...next] })
  const fixed = fields.find((key) => key.startsWith(TEXT))
  const isFull = fields.length >= MAX_FIELDS
  const shown = isPlaces ? OF_PLACES : COLUMNS
  return (
    <FormControl component="fieldset">
      <FormLabel component="legend">{t.texts}</FormLabel>
      <FormGroup sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr' }}>
        {shown.map((key) => (
          <FormControlLabel
            key={key}
            label={t.columns[key]}
            disabled={isFull && !fields.includes(key)}
            control={
              <Checkbox
                size="small"
                checked={fields.includes(key)}
                onChange={(_, isOn) => set(isOn ? [...fields, key] : fields.filter((one) => one !== key))}
              />
            }
          />
        ))}
      </FormGroup>
      <TextField
        name="fixedText"
        label={t.fixed}
        value={fixed?.slice(TEXT.length) ?? ''}
        disabled={isFull && fixed === undefined}
        onChange={({ target }) => {
          const others = fields.filter((one) => one !== fixed)
          const text = target.value.slice(0, MAX_TEXT)
          set(text === '' ? others : [...others, TEXT + text])
        }}
        sx={{ mt: 1 }}
      />
      <CheckField
        name="fieldLabels"
        label={t.fieldLabels}
        value={settings.fieldLabels}
        onChange={(fieldLabels) => onChange({ ...settings, fieldLabels })}
        isBox
      />
    </FormControl>
  )
}

const within = (value: number | null, least: number, most: number, otherwise: number): number =>
  value === null || Number.isNaN(value) ? otherwise : Math.min(most, Math.max(least, value))

function Corrections({ settings, onChange }: Omit<Props, 'isPlaces'>) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  const set = (part: Partial<Settings>) => onChange({ ...settings, ...part })
  const offset = (name: 'offsetX' | 'offsetY') => (
    <NumberSetting
      name={name}
      label={t[name]}
      value={settings[name]}
      onChange={(n) => set({ [name]: within(n, -10, 10, 0) })}
    />
  )
  const scale = (name: 'scaleX' | 'scaleY') => (
    <NumberSetting
      name={name}
      label={t[name]}
      value={settings[name]}
      onChange={(n) => set({ [name]: within(n, 0.95, 1.05, 1) })}
    />
  )
  return (
    <>
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} sx={{ alignSelf: 'flex-start' }}>
        {t.corrections}
      </Button>
      <Collapse in={isOpen} unmountOnExit>
        <Typography variant="body2" color="text.secondary" sx={{ mb: 2 }}>
          {t.help}
        </Typography>
        <Two>
          {offset('offsetX')}
          {offset('offsetY')}
          {scale('scaleX')}
          {scale('scaleY')}
        </Two>
        <LabelCalibration settings={settings} onChange={onChange} />
      </Collapse>
    </>
  )
}
