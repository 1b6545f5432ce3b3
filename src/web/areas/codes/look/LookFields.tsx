/** The fields of a design: colours, shapes, logo, frame. */

import { Box, Slider, Stack, TextField, Typography } from '@mui/material'
import { type ReactNode, useId } from 'react'

import { labelled } from '../../../i18n/format.ts'
import { useTexts } from '../../../i18n/words.ts'
import { useOwner } from '../../../session/session.ts'
import { CheckField, ChoiceField, ToggleField } from '../../../ui/fields.tsx'
import { Section } from '../../../ui/parts.tsx'
import { PictureField } from '../../../ui/PictureField.tsx'
import type { LookValues } from './look-values.ts'
import { lookWords } from './look-words.ts'

interface PartProps {
  look: LookValues
  onChange: (part: Partial<LookValues>) => void
}

export function LookFields(props: PartProps) {
  return (
    <>
      <Colors {...props} />
      <Shapes {...props} />
      <Logo {...props} />
      <Frame {...props} />
      <More {...props} />
    </>
  )
}

function ColorField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label={label}
      type="color"
      value={`#${value}`}
      sx={{ '& input': { height: 28, p: 0.75, boxSizing: 'content-box', cursor: 'pointer' } }}
      onChange={({ target }) => onChange(target.value.slice(1))}
    />
  )
}

/** A slider with its label and value. */
function Measure(props: { label: string; value: number; min: number; max: number; onChange: (value: number) => void }) {
  const { label, value, min, max, onChange } = props
  const id = useId()
  return (
    <Box sx={{ px: 1 }}>
      <Typography id={id} variant="body2" color="text.secondary">
        {labelled(label, String(value))}
      </Typography>
      <Slider aria-labelledby={id} size="small" {...{ value, min, max }} onChange={(_, next) => onChange(next)} />
    </Box>
  )
}

const Pair = ({ children }: { children: ReactNode }) => (
  <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(2, minmax(0, 1fr))' }}>{children}</Box>
)

/** A choice among few, with its label above. */
function Toggle<T extends string>(props: {
  label: string
  value: T
  choices: Readonly<Record<T, string>>
  onChange: (value: T) => void
}) {
  return (
    <Box component="fieldset" aria-label={props.label} sx={{ border: 0, p: 0, m: 0, minWidth: 0 }}>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 0.5 }}>
        {props.label}
      </Typography>
      <ToggleField value={props.value} choices={props.choices} onChange={props.onChange} />
    </Box>
  )
}

function Colors({ look, onChange }: PartProps) {
  const t = useTexts(lookWords)
  const { gradient } = look
  return (
    <Section title={t.colors}>
      <Stack spacing={2}>
        <Pair>
          <ColorField label={t.fg} value={look.fg} onChange={(fg) => onChange({ fg })} />
          <ColorField label={t.bg} value={look.bg} onChange={(bg) => onChange({ bg })} />
        </Pair>
        <Toggle
          label={t.gradient}
          value={gradient?.type ?? 'NONE'}
          choices={t.gradients}
          onChange={(type) =>
            onChange({ gradient: type === 'NONE' ? null : { to: '1a4d8f', angle: 45, ...gradient, type } })
          }
        />
        {gradient && (
          <Pair>
            <ColorField
              label={t.to}
              value={gradient.to}
              onChange={(to) => onChange({ gradient: { ...gradient, to } })}
            />
            {gradient.type === 'LINEAR' && (
              <Measure
                label={t.angle}
                value={gradient.angle}
                min={0}
                max={359}
                onChange={(angle) => onChange({ gradient: { ...gradient, angle } })}
              />
            )}
          </Pair>
        )}
        <CheckField
          name="hasEyeColor"
          label={t.eyeColor}
          value={look.eyeColor !== null}
          onChange={(isOn) => onChange({ eyeColor: isOn ? look.fg : null })}
        />
        {look.eyeColor !== null && (
          <ColorField label={t.eyes} value={look.eyeColor} onChange={(eyeColor) => onChange({ eyeColor })} />
        )}
      </Stack>
    </Section>
  )
}

function Shapes({ look, onChange }: PartProps) {
  const t = useTexts(lookWords)
  return (
    <Section title={t.shapes}>
      <Stack spacing={2}>
        <Toggle
          label={t.modules}
          value={look.modules}
          choices={t.moduleShapes}
          onChange={(modules) => onChange({ modules })}
        />
        <Toggle label={t.eyes} value={look.eyes} choices={t.eyeShapes} onChange={(eyes) => onChange({ eyes })} />
      </Stack>
    </Section>
  )
}

function Logo({ look: { logo }, onChange }: PartProps) {
  const t = useTexts(lookWords)
  const owner = useOwner()
  return (
    <Section title={t.logo} text={t.logoHelp}>
      <Stack spacing={2}>
        <PictureField
          url={logo?.url ?? null}
          name={t.logo}
          look="organization"
          type="qr_code"
          orgId={owner?.id}
          onChange={(fileId, url) =>
            onChange({ logo: fileId === null ? null : { size: 20, plate: 'SQUARE', ...logo, fileId, url } })
          }
        />
        {logo && (
          <>
            <Measure
              label={t.logoSize}
              value={logo.size}
              min={10}
              max={25}
              onChange={(size) => onChange({ logo: { ...logo, size } })}
            />
            <Toggle
              label={t.plate}
              value={logo.plate}
              choices={t.plates}
              onChange={(plate) => onChange({ logo: { ...logo, plate } })}
            />
          </>
        )}
      </Stack>
    </Section>
  )
}

function Frame({ look, onChange }: PartProps) {
  const t = useTexts(lookWords)
  const { frame } = look
  return (
    <Section title={t.frame}>
      <Stack spacing={2}>
        <Toggle
          label={t.frame}
          value={frame?.position ?? 'NONE'}
          choices={t.frames}
          onChange={(position) =>
            onChange({
              frame:
                position === 'NONE' ? null : { text: '', textFileId: null, url: null, color: null, ...frame, position },
            })
          }
        />
        {frame && (
          <>
            <TextField
              label={t.text}
              value={frame.text}
              helperText={t.textHelp}
              slotProps={{ htmlInput: { maxLength: 60, dir: 'auto' } }}
              onChange={({ target }) => onChange({ frame: { ...frame, text: target.value } })}
            />
            <ColorField
              label={t.frameColor}
              value={frame.color ?? look.fg}
              onChange={(color) => onChange({ frame: { ...frame, color } })}
            />
          </>
        )}
      </Stack>
    </Section>
  )
}

function More({ look, onChange }: PartProps) {
  const t = useTexts(lookWords)
  return (
    <Section title={t.more}>
      <Pair>
        <Measure label={t.margin} value={look.margin} min={2} max={10} onChange={(margin) => onChange({ margin })} />
        <ChoiceField
          label={t.level}
          value={look.level}
          onChange={(level) => onChange({ level })}
          choices={['L', 'M', 'Q', 'H'].map((id) => ({ id, name: id }))}
          none={t.auto}
        />
      </Pair>
    </Section>
  )
}
