/** The sections in the form of an activity. */

import { Add, Delete } from '@mui/icons-material'
import {
  Button,
  Card,
  CardContent,
  Checkbox,
  Collapse,
  FormControlLabel,
  IconButton,
  MenuItem,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import type { ReactNode } from 'react'

import type { ApiError } from '../../api/errors.ts'
import { useCall } from '../../api/hooks.ts'
import { useChoices } from '../../i18n/enums.ts'
import { useTexts } from '../../i18n/words.ts'
import { PositionButton } from '../../ui/PositionButton.tsx'
import { newKey, type Question, type Values } from './form-values.ts'
import { formWords } from './form-words.ts'

export interface FormParts {
  values: Values
  set: (part: Partial<Values>) => void
  error: ApiError | null
  /** The organization that owns the activity; undefined for a personal one. */
  orgId: number | undefined
  /** The activity is that of somebody else: templates of its owner cannot be chosen. */
  isForeign: boolean
}

/** Fields whose value is a text that the user types. */
type TextName = { [Name in keyof Values]: Values[Name] extends string ? Name : never }[keyof Values]

/** Properties of the field for a value. `problem` is its name in the messages of the server. */
const fieldOf =
  ({ values, set, error }: FormParts) =>
  (name: TextName, problem: string = name, help?: string) => ({
    name,
    value: values[name],
    error: error?.problem(problem) !== undefined,
    helperText: error?.problem(problem) ?? help,
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card variant="outlined">
    <CardContent>
      <Typography variant="h2" sx={{ mb: 2 }}>
        {title}
      </Typography>
      <Stack spacing={2}>{children}</Stack>
    </CardContent>
  </Card>
)

/** A section that can be turned off. */
function Part(props: {
  title: string
  help: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}) {
  const { title, help, isOn, onChange, children } = props
  return (
    <Card variant="outlined">
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <FormControlLabel
          sx={{ ml: 0, mr: 0, width: '100%', justifyContent: 'space-between' }}
          labelPlacement="start"
          control={<Switch checked={isOn} onChange={(_, checked) => onChange(checked)} />}
          label={
            <>
              <Typography component="span" variant="h2" sx={{ display: 'block' }}>
                {title}
              </Typography>
              <Typography component="span" variant="body2" color="text.secondary">
                {help}
              </Typography>
            </>
          }
        />
        <Collapse in={isOn} unmountOnExit>
          <Stack spacing={2} sx={{ pt: 2 }}>
            {children}
          </Stack>
        </Collapse>
      </CardContent>
    </Card>
  )
}

/** Short fields side by side on wide screens. */
const Row = ({ children }: { children: ReactNode }) => (
  <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
    {children}
  </Stack>
)

const SHRUNK = { inputLabel: { shrink: true } } as const
const DECIMAL = { htmlInput: { step: 'any', inputMode: 'decimal' } } as const
const COUNT = { htmlInput: { min: 0, inputMode: 'numeric' } } as const

export function Basics({ children, ...parts }: FormParts & { children: ReactNode }) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  return (
    <Section title={t.what}>
      <TextField {...field('name')} label={t.name} required slotProps={{ htmlInput: { maxLength: 100 } }} />
      <TextField {...field('description')} label={t.description} multiline minRows={3} />
      <Row>
        <TextField {...field('startTime')} label={t.start} type="datetime-local" required slotProps={SHRUNK} />
        <TextField {...field('endTime')} label={t.end} type="datetime-local" required slotProps={SHRUNK} />
      </Row>
      {children}
    </Section>
  )
}

export function Where(parts: FormParts) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  const hasPosition = parts.values.latitude !== '' || parts.values.longitude !== ''
  return (
    <Section title={t.where}>
      <TextField {...field('location', 'location', t.locationHelp)} label={t.location} />
      <Row>
        <TextField {...field('province', 'region.province')} label={t.province} />
        <TextField {...field('city', 'region.city')} label={t.city} />
        <TextField {...field('district', 'region.district')} label={t.district} />
      </Row>
      <Row>
        <TextField {...field('latitude')} label={t.latitude} type="number" slotProps={DECIMAL} />
        <TextField {...field('longitude')} label={t.longitude} type="number" slotProps={DECIMAL} />
      </Row>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <PositionButton
          variant="outlined"
          onPosition={({ latitude, longitude }) => parts.set({ latitude: `${latitude}`, longitude: `${longitude}` })}
        />
        {hasPosition && (
          <Button color="inherit" onClick={() => parts.set({ latitude: '', longitude: '' })}>
            {t.clearPosition}
          </Button>
        )}
        <Typography variant="body2" color="text.secondary">
          {t.positionHelp}
        </Typography>
      </Stack>
    </Section>
  )
}

export function Visibility(parts: FormParts) {
  const t = useTexts(formWords)
  const choices = useChoices('activityVisibility')
  const { visibility } = parts.values
  return (
    <Section title={t.who}>
      <TextField {...fieldOf(parts)('visibility', 'visibility', t.help[visibility])} select label={t.visibility}>
        {choices
          .filter(({ id }) => id !== 'RESTRICTED' || parts.orgId !== undefined)
          .map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
      </TextField>
    </Section>
  )
}

export function RegistrationRules(parts: FormParts) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  const { values, set } = parts
  return (
    <Part
      title={t.registration}
      help={t.registrationHelp}
      isOn={values.hasRegistration}
      onChange={(hasRegistration) => set({ hasRegistration })}
    >
      <TextField
        {...field('capacity', 'registration.capacity', t.emptyUnlimited)}
        label={t.capacity}
        type="number"
        slotProps={COUNT}
      />
      {values.capacity !== '' && (
        <FormControlLabel
          control={<Checkbox checked={values.waitlist} onChange={(_, waitlist) => set({ waitlist })} />}
          label={t.waitlist}
        />
      )}
      <Times
        parts={parts}
        opens={['registrationOpens', 'registration.opensAt', t.opensNow]}
        closes={['registrationCloses', 'registration.closesAt', t.closesAtStart]}
      />
      <Questions questions={values.questions} onChange={(questions) => set({ questions })} />
    </Part>
  )
}

function Questions({ questions, onChange }: { questions: readonly Question[]; onChange: (next: Question[]) => void }) {
  const t = useTexts(formWords)
  const change = (key: string, part: Partial<Question>) =>
    onChange(questions.map((question) => (question.key === key ? { ...question, ...part } : question)))
  return (
    <Stack spacing={1.5}>
      <Typography variant="h3">{t.questions}</Typography>
      {questions.map(({ key, label, required }, i) => (
        <Stack key={key} direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
          <TextField
            label={t.question(i + 1)}
            value={label}
            onChange={({ target }) => change(key, { label: target.value })}
            slotProps={{ htmlInput: { maxLength: 100 } }}
            sx={{ flex: 1, minWidth: 200 }}
          />
          <FormControlLabel
            sx={{ mr: 0 }}
            control={<Checkbox checked={required} onChange={(_, checked) => change(key, { required: checked })} />}
            label={t.required}
          />
          <IconButton
            aria-label={t.removeQuestion(i + 1)}
            onClick={() => onChange(questions.filter((question) => question.key !== key))}
          >
            <Delete />
          </IconButton>
        </Stack>
      ))}
      {questions.length < 10 && (
        <Button
          startIcon={<Add />}
          sx={{ alignSelf: 'start' }}
          onClick={() => onChange([...questions, { key: newKey(questions), label: '', required: false }])}
        >
          {t.addQuestion}
        </Button>
      )}
    </Stack>
  )
}

export function CheckInRules(parts: FormParts) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  return (
    <Part
      title={t.checkIn}
      help={t.checkInHelp}
      isOn={parts.values.hasCheckIn}
      onChange={(hasCheckIn) => parts.set({ hasCheckIn })}
    >
      <Row>
        <TextField
          {...field('radiusMeters', 'checkInConfig.radiusMeters', t.radiusHelp)}
          label={t.radius}
          type="number"
          slotProps={COUNT}
        />
        <TextField
          {...field('maxPerUser', 'checkInConfig.maxPerUser', t.zeroUnlimited)}
          label={t.perUser}
          type="number"
          slotProps={COUNT}
        />
      </Row>
      <TextField {...field('shortCode', 'checkInConfig.shortCode', t.shortCodeHelp)} label={t.shortCode} />
      <Times
        parts={parts}
        opens={['checkInOpens', 'checkInConfig.opensAt', t.opensNow]}
        closes={['checkInCloses', 'checkInConfig.closesAt', t.closesAtEnd]}
      />
    </Part>
  )
}

export function PassRules(parts: FormParts) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  const { hasPass } = parts.values
  const templates = useCall(
    'passTemplates.list',
    { query: { size: 100, ...(parts.orgId !== undefined && { orgId: parts.orgId }) } },
    { enabled: hasPass && !parts.isForeign },
  )
  return (
    <Part title={t.passes} help={t.passesHelp} isOn={hasPass} onChange={(isOn) => parts.set({ hasPass: isOn })}>
      <TextField
        {...field('passUses', 'passConfig.maxUses', t.zeroUnlimited)}
        label={t.uses}
        type="number"
        slotProps={COUNT}
      />
      <Row>
        <TextField
          {...field('passFrom', 'passConfig.validFrom')}
          label={t.validFrom}
          type="datetime-local"
          slotProps={SHRUNK}
        />
        <TextField
          {...field('passTo', 'passConfig.validTo', t.closesAtEnd)}
          label={t.validTo}
          type="datetime-local"
          slotProps={SHRUNK}
        />
      </Row>
      {templates.data !== undefined && templates.data.items.length > 0 && (
        <TextField
          {...field('templateId', 'passConfig.templateId')}
          select
          label={t.template}
          slotProps={{ ...SHRUNK, select: { displayEmpty: true } }}
        >
          <MenuItem value="">{t.noTemplate}</MenuItem>
          {templates.data.items.map(({ id, name }) => (
            <MenuItem key={id} value={String(id)}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      )}
    </Part>
  )
}

type TimeField = readonly [name: TextName, problem: string, help: string]

function Times({ parts, opens, closes }: { parts: FormParts; opens: TimeField; closes: TimeField }) {
  const t = useTexts(formWords)
  const field = fieldOf(parts)
  return (
    <Row>
      <TextField {...field(...opens)} label={t.opens} type="datetime-local" slotProps={SHRUNK} />
      <TextField {...field(...closes)} label={t.closes} type="datetime-local" slotProps={SHRUNK} />
    </Row>
  )
}
