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
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import type { ReactNode } from 'react'

import { useCall } from '../../api/hooks.ts'
import { useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { CheckField, ChoiceField, NumberField } from '../../ui/fields.tsx'
import { PositionButton } from '../../ui/PositionButton.tsx'
import type { Form, NameOf } from '../../ui/use-form.tsx'
import { newKey, type Question, type Values } from './form-values.ts'
import { formWords } from './form-words.ts'
import { Description } from './FormText.tsx'
import { StartAndEnd, ZoneNote } from './FormTimes.tsx'

export interface FormParts {
  form: Form<Values>
  /** The organization that owns the activity; undefined for a personal one. */
  orgId: number | undefined
  /** The activity is that of somebody else: templates of its owner cannot be chosen. */
  isForeign: boolean
}

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

export function Basics({ form, isNew, children }: FormParts & { isNew: boolean; children: ReactNode }) {
  const t = useTexts(formWords)
  return (
    <Section title={t.what}>
      <TextField {...form.text('name')} autoFocus={isNew} />
      <Description form={form} />
      <StartAndEnd form={form} />
      {children}
    </Section>
  )
}

export function Where({ form }: FormParts) {
  const t = useTexts(formWords)
  const hasPosition = form.values.latitude !== null || form.values.longitude !== null
  return (
    <Section title={t.where}>
      <TextField {...form.text('location', { help: t.locationHelp })} />
      <Row>
        <TextField {...form.text('region.province', { label: t.province })} />
        <TextField {...form.text('region.city')} />
        <TextField {...form.text('region.district', { label: t.district })} />
      </Row>
      <Row>
        <NumberField {...form.number('latitude')} />
        <NumberField {...form.number('longitude')} />
      </Row>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <PositionButton
          variant="outlined"
          onPosition={({ latitude, longitude }) => form.set({ latitude, longitude })}
        />
        {hasPosition && (
          <Button color="inherit" onClick={() => form.set({ latitude: null, longitude: null })}>
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

export function Visibility({ form, orgId }: FormParts) {
  const t = useTexts(formWords)
  const help = t.help[form.values.visibility]
  return (
    <Section title={t.who}>
      <TextField
        {...form.choice('visibility', 'activityVisibility', {
          help,
          ...(orgId === undefined && { only: ['PUBLIC', 'INVITE_ONLY'] }),
        })}
      />
    </Section>
  )
}

export function RegistrationRules({ form }: FormParts) {
  const t = useTexts(formWords)
  const { values, set } = form
  return (
    <Part
      title={t.registration}
      help={t.registrationHelp}
      isOn={values.hasRegistration}
      onChange={(hasRegistration) => set({ hasRegistration })}
    >
      <NumberField {...form.number('registration.capacity', { help: t.emptyUnlimited })} />
      {values['registration.capacity'] !== null && (
        <CheckField {...form.check('registration.waitlist', { label: t.waitlist })} isBox />
      )}
      <CheckField {...form.check('registration.approval', { label: t.approval, help: t.approvalHelp })} />
      <Times
        form={form}
        opens={['registration.opensAt', t.opensNow]}
        closes={['registration.closesAt', t.closesAtStart]}
      />
      {values.visibility !== 'RESTRICTED' && (
        <CheckField
          {...form.check('registration.personalOnly', { label: t.personalOnly, help: t.personalOnlyHelp })}
          isBox
        />
      )}
      <GuestRules form={form} />
      <Contact form={form} />
      <Questions form={form} />
    </Part>
  )
}

/** Guests cannot be turned on where the server would refuse it, but they can be turned off. */
function GuestRules({ form }: Pick<FormParts, 'form'>) {
  const t = useTexts(formWords)
  const { mailAvailable } = useSession().user
  const { visibility, 'registration.guests': guests } = form.values
  const obstacle = visibility === 'RESTRICTED' ? t.guestsNotHere : mailAvailable ? undefined : t.guestsNoMail
  return (
    <>
      <CheckField
        {...form.check('registration.guests', { label: t.guests, help: obstacle ?? t.guestsHelp })}
        disabled={obstacle !== undefined && !guests}
      />
      {guests && (
        <NumberField
          {...form.number('registration.guestRetentionDays', {
            label: t.guestRetentionDays,
            help: t.guestRetentionHelp,
          })}
        />
      )}
    </>
  )
}

function Contact({ form }: Pick<FormParts, 'form'>) {
  const t = useTexts(formWords)
  const { value, onChange: _, ...field } = form.pick('registration.contact', { label: t.contact, help: t.contactHelp })
  return (
    <CheckField
      {...field}
      value={value === 'EMAIL'}
      onChange={(isShown) => form.set({ 'registration.contact': isShown ? 'EMAIL' : 'NONE' })}
    />
  )
}

const MAX_QUESTIONS = 10

function Questions({ form }: Pick<FormParts, 'form'>) {
  const t = useTexts(formWords)
  const questions = form.values['registration.questions']
  const onChange = (next: Question[]) => form.set({ 'registration.questions': next })
  const change = (key: string, part: Partial<Question>) =>
    onChange(questions.map((question) => (question.key === key ? { ...question, ...part } : question)))
  const problemAt = (i: number) => form.problem(`registration.questions.${i}.label`)
  return (
    <Stack spacing={1.5}>
      <Typography variant="h3">{t.questions}</Typography>
      {questions.map(({ key, label, required }, i) => (
        <Stack key={key} direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
          <TextField
            label={t.question(i + 1)}
            value={label}
            onChange={({ target }) => change(key, { label: target.value })}
            error={problemAt(i) !== undefined}
            helperText={problemAt(i)}
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
      {questions.length < MAX_QUESTIONS && (
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

/** Long enough for a queue, and too short for a photo that somebody sends. */
const ROTATING_SECONDS = 30

export function CheckInRules({ form }: FormParts) {
  const t = useTexts(formWords)
  const { hasRegistration, 'checkInConfig.rotatingSeconds': rotatingSeconds } = form.values
  return (
    <Part
      title={t.checkIn}
      help={t.checkInHelp}
      isOn={form.values.hasCheckIn}
      onChange={(hasCheckIn) => form.set({ hasCheckIn })}
    >
      <Row>
        <NumberField {...form.number('checkInConfig.radiusMeters', { label: t.radius, help: t.radiusHelp })} />
        <NumberField {...form.number('checkInConfig.maxPerUser', { label: t.perUser, help: t.zeroUnlimited })} />
      </Row>
      {rotatingSeconds === null && <TextField {...form.text('checkInConfig.shortCode', { help: t.shortCodeHelp })} />}
      <CheckField
        name="rotates"
        label={t.rotates}
        help={t.rotatesHelp}
        value={rotatingSeconds !== null}
        onChange={(rotates) => form.set({ 'checkInConfig.rotatingSeconds': rotates ? ROTATING_SECONDS : null })}
      />
      {rotatingSeconds !== null && (
        <NumberField {...form.number('checkInConfig.rotatingSeconds', { label: t.rotatingSeconds })} />
      )}
      {(hasRegistration || form.values['checkInConfig.registeredOnly']) && (
        <CheckField {...form.check('checkInConfig.registeredOnly', { label: t.registeredOnly })} />
      )}
      <Times
        form={form}
        opens={['checkInConfig.opensAt', t.opensNow]}
        closes={['checkInConfig.closesAt', t.closesAtEnd]}
      />
    </Part>
  )
}

export function PassRules({ form, orgId, isForeign }: FormParts) {
  const t = useTexts(formWords)
  const { hasPass, timeZone: zone } = form.values
  const templates = useCall(
    'passTemplates.list',
    { query: { size: 100, ...(orgId !== undefined && { orgId }) } },
    { enabled: hasPass && !isForeign },
  )
  return (
    <Part title={t.passes} help={t.passesHelp} isOn={hasPass} onChange={(isOn) => form.set({ hasPass: isOn })}>
      <NumberField {...form.number('passConfig.maxUses', { label: t.uses, help: t.zeroUnlimited })} />
      <Row>
        <TextField {...form.time('passConfig.validFrom', { label: t.validFrom, zone })} />
        <TextField {...form.time('passConfig.validTo', { label: t.validTo, help: t.closesAtEnd, zone })} />
      </Row>
      <ZoneNote values={form.values} />
      {templates.data !== undefined && templates.data.items.length > 0 && (
        <ChoiceField
          {...form.pick('passConfig.templateId', { label: t.template })}
          choices={templates.data.items}
          none={t.noTemplate}
        />
      )}
      <CheckField {...form.check('passConfig.autoIssue', { label: t.autoIssue, help: t.autoIssueHelp })} />
    </Part>
  )
}

export function NoticeRules({ form }: FormParts) {
  const t = useTexts(formWords)
  return (
    <Section title={t.notices}>
      <CheckField {...form.check('autoNotices', { label: t.autoNotices, help: t.autoNoticesHelp })} />
      <TextField
        {...form.text('contactEmail', { label: t.contactEmail, help: t.contactEmailHelp })}
        // The interface wants an address or null, which an empty field stands for.
        required={false}
        type="email"
      />
    </Section>
  )
}

type TimeField = readonly [name: NameOf<Values, number | null>, help: string]

function Times({ form, opens, closes }: { form: Form<Values>; opens: TimeField; closes: TimeField }) {
  const t = useTexts(formWords)
  const { timeZone: zone } = form.values
  return (
    <>
      <Row>
        <TextField {...form.time(opens[0], { label: t.opens, help: opens[1], zone })} />
        <TextField {...form.time(closes[0], { label: t.closes, help: closes[1], zone })} />
      </Row>
      <ZoneNote values={form.values} />
    </>
  )
}
