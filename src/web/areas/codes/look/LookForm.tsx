/** The form of a design, with its picture and what the server says about it. */

import { Alert, Box, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useMemo, useState } from 'react'

import { callWith } from '../../../api/client.ts'
import { useCall } from '../../../api/hooks.ts'
import type { CheckQrCodeDesign, QrCodeDesign, QrCodeDesignCheck } from '../../../api/types.ts'
import { uploadFile } from '../../../api/upload-file.ts'
import { useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { CheckField } from '../../../ui/fields.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { DesignPicture } from './DesignPicture.tsx'
import { bodyOf, type LookValues, valuesOf, wordColor } from './look-values.ts'
import { lookWords } from './look-words.ts'
import { LookFields } from './LookFields.tsx'
import { drawStrip, stripFile } from './strip.ts'

export interface LookFormProps {
  /** Undefined: a new one. */
  design: QrCodeDesign | undefined
  onDone: (saved: QrCodeDesign) => void
}

/** All paths of the look at which the server finds problems. */
const PATHS =
  'fg bg margin level modules eyes eyeColor gradient gradient.to logo logo.fileId logo.size frame frame.textFileId frame.text'.split(
    ' ',
  )

export function LookForm({ design, onDone }: LookFormProps) {
  const t = useTexts(lookWords)
  const owner = useOwner()
  const owned = useOwnerQuery()
  const may = useMay()
  const isNew = design === undefined
  const id = isNew ? 'qrCodeDesigns.create' : 'qrCodeDesigns.update'
  const form = useForm(id, () => valuesOf(design), {
    done: isNew ? t.created : t.saved,
    refreshes: ['qrCodeDesigns.list', 'qrCodes'],
    paths: { look: PATHS },
    from: design && { version: design.version, values: (row: QrCodeDesign) => valuesOf(row) },
    onDone: (saved) => onDone(saved as QrCodeDesign),
    async send(input, to, headers, { look }) {
      const frame = await withStrip(look, valuesOf(design).look, owner?.id)
      const body = { ...(input as { body: object }).body, ...bodyOf({ ...look, frame }) }
      return (await callWith(to, { ...(input as object), body }, { headers })) as QrCodeDesign
    },
    input: ({ name, look, isDefault }) => ({
      params: isNew ? {} : { id: design.id },
      query: owned,
      body: { name, isDefault, ...bodyOf(look) },
    }),
  })
  const { look } = form.values
  const [sample, setSample] = useState(() => `${location.origin}/q/23456789`)
  const problem = form.problem('look')
  return (
    <Box
      sx={{
        display: 'grid',
        gap: { xs: 2, md: 3 },
        gridTemplateColumns: { md: 'minmax(0, 1fr) 320px' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ minWidth: 0, order: { xs: 2, md: 1 } }}>
        {may(id) ? (
          <Form form={form} action={isNew ? t.create : t.save}>
            <Section>
              <Stack spacing={2}>
                <TextField {...form.text('name')} />
                <CheckField {...form.check('isDefault', { label: owner === null ? t.defaultOwn : t.defaultOfOrg })} />
              </Stack>
            </Section>
            <LookFields look={look} onChange={(part) => form.set((now) => ({ look: { ...now.look, ...part } }))} />
            {problem !== undefined && <Alert severity="error">{problem}</Alert>}
          </Form>
        ) : (
          <Alert severity="info">{t.notAllowed}</Alert>
        )}
      </Box>
      <Preview look={look} design={design} content={sample} onContent={setSample} />
    </Box>
  )
}

/** The frame with the picture of its words, which is drawn and uploaded if they have changed. */
async function withStrip(
  look: LookValues,
  before: LookValues,
  orgId: number | undefined,
): Promise<LookValues['frame']> {
  const { frame } = look
  if (frame === null || !isRewritten(look, before)) return frame
  const strip = drawStrip(frame.text, wordColor(frame.color ?? look.fg))
  const file = strip && (await uploadFile(await stripFile(strip), { type: 'qr_code', orgId }))
  return { ...frame, textFileId: file?.id ?? null }
}

const isRewritten = (look: LookValues, before: LookValues): boolean =>
  look.frame?.text !== before.frame?.text ||
  look.frame?.url === null ||
  wordColor(look.frame?.color ?? look.fg) !== wordColor(before.frame?.color ?? before.fg)

interface PreviewProps {
  look: LookValues
  design: QrCodeDesign | undefined
  content: string
  onContent: (content: string) => void
}

function Preview({ look, design, content, onContent }: PreviewProps) {
  const t = useTexts(lookWords)
  const before = valuesOf(design).look
  const text = look.frame !== null && isRewritten(look, before) ? look.frame.text : undefined
  const color = wordColor(look.frame?.color ?? look.fg)
  const strip = useMemo(() => (text === undefined ? undefined : (drawStrip(text, color) ?? null)), [text, color])
  const pictured = content === '' ? ' ' : content
  return (
    <Card
      component="section"
      aria-label={t.preview}
      sx={{ order: { xs: 1, md: 2 }, position: 'sticky', top: { xs: 56, md: 72 }, zIndex: 1 }}
    >
      <CardContent sx={{ display: 'flex', flexDirection: { xs: 'row', md: 'column' }, gap: 2, alignItems: 'center' }}>
        <Box sx={{ width: { xs: 120, md: '100%' }, flexShrink: 0 }}>
          <DesignPicture
            content={pictured}
            look={look}
            {...(strip !== undefined && { strip })}
            alt={t.preview}
            width="100%"
          />
        </Box>
        <Stack spacing={1.5} sx={{ minWidth: 0, flex: 1, width: '100%' }}>
          <Verdict look={look} designId={design?.id} content={pictured} />
          <TextField
            label={t.sample}
            value={content}
            size="small"
            onChange={({ target }) => onContent(target.value)}
            slotProps={{ htmlInput: { maxLength: 1000, spellCheck: false } }}
            sx={{ display: { xs: 'none', md: 'flex' } }}
          />
        </Stack>
      </CardContent>
    </Card>
  )
}

/** Percent of the error correction below which a scratch is too much. */
const LITTLE_SPARE = 50

/** The answer of the server half a second after the last change. */
function Verdict({ look, designId, content }: { look: LookValues; designId: number | undefined; content: string }) {
  const t = useTexts(lookWords)
  const owned = useOwnerQuery()
  const body = bodyOf(look)
  // The picture of the words is drawn when the design is saved.
  const frame = body.frame && { ...body.frame, textFileId: null }
  // As text, because a look is a new object after each change of the form.
  const now = JSON.stringify({ designId: designId ?? null, design: { ...body, frame }, content })
  const settled = useSettled(now, 500)
  const check = useCall(
    'qrCodeDesigns.check',
    { query: owned, body: JSON.parse(settled) as CheckQrCodeDesign },
    { keepPrevious: true },
  )
  const isChecking = now !== settled || check.isPending || check.isPlaceholderData
  const { severity, text } = verdictOf(t, isChecking ? undefined : check.data, check.isError)
  return (
    <Alert severity={severity} aria-live="polite" sx={{ width: '100%', overflowWrap: 'anywhere' }}>
      {text}
      {!isChecking && check.data?.symbol != null && (
        <Typography variant="caption" component="div">
          {t.fits(check.data.symbol.version, check.data.symbol.modules)}
        </Typography>
      )}
    </Alert>
  )
}

type Words = ReturnType<typeof useTexts<typeof lookWords.en>>

function verdictOf(t: Words, check: QrCodeDesignCheck | undefined, isRefused: boolean) {
  if (isRefused) return { severity: 'info', text: t.unchecked } as const
  if (check === undefined) return { severity: 'info', text: t.checking } as const
  const [problem] = check.problems
  if (problem !== undefined) {
    const label = t.parts[problem.path.split('.')[0] as keyof typeof t.parts] ?? problem.path
    return { severity: 'error', text: t.bad(`${label} ${problem.message}`) } as const
  }
  return check.spare < LITTLE_SPARE
    ? ({ severity: 'warning', text: t.scarce } as const)
    : ({ severity: 'success', text: t.good } as const)
}
