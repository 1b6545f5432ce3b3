/** The form of an activity. The owner can only be chosen for a new one. */

import {
  Button,
  Card,
  CardContent,
  FormControlLabel,
  MenuItem,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { AdminActivity } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    create: 'Create activity',
    edit: (name: string) => `Edit “${name}”`,
    save: 'Save',
    created: 'The activity is created as a draft. Its managers can publish it.',
    saved: 'The activity is changed.',
    basics: 'Description and time',
    where: 'Where',
    who: 'Who it is for',
    at: 'At the entrance',
    forUser: 'For a user',
    forOrg: 'For an organization',
    latitude: 'Latitude',
    longitude: 'Longitude',
    both: 'Give both coordinates or neither.',
    perUser: 'Check-ins of each user (0 = unlimited)',
    shortCode: 'Short code, 4 to 12 letters or digits',
    radius: 'Only within so many metres of the position',
    entries: 'Entries of each pass (0 = unlimited)',
    registration: 'People register before',
    capacity: 'Places (empty = unlimited)',
    waitlist: 'Waiting list when it is full',
  },
  zh: {
    create: '创建活动',
    edit: (name: string) => `编辑“${name}”`,
    save: '保存',
    created: '活动已创建为草稿，可由其管理者发布。',
    saved: '活动已更新。',
    basics: '内容与时间',
    where: '地点',
    who: '面向',
    at: '入场',
    forUser: '为用户创建',
    forOrg: '为组织创建',
    latitude: '纬度',
    longitude: '经度',
    both: '经纬度需同时填写或同时留空。',
    perUser: '每人签到次数（0 表示不限）',
    shortCode: '签到口令，4–12 位字母或数字',
    radius: '仅限距该位置多少米内',
    entries: '每张通行证入场次数（0 表示不限）',
    registration: '需要提前报名',
    capacity: '名额（留空表示不限）',
    waitlist: '报满后可候补',
  },
})

export default function ActivityForm() {
  const { id } = useParams()
  return id === undefined ? <Form activity={undefined} /> : <Edit activityId={Number(id)} />
}

function Edit({ activityId }: { activityId: number }) {
  const query = useCall('admin.activities.get', { params: { activityId } })
  return <Answer query={query}>{(activity) => <Form key={activity.version} activity={activity} />}</Answer>
}

/** The fields as texts, as inputs have them. */
function initial(activity: AdminActivity | undefined) {
  const hour = 3_600_000
  const next = Math.ceil(Date.now() / hour) * hour + 24 * hour
  return {
    ownerType: activity?.ownerType ?? 'PERSONAL',
    ownerId: activity?.ownerId ?? null,
    name: activity?.name ?? '',
    description: activity?.description ?? '',
    startTime: localTime(activity?.startTime ?? next),
    endTime: localTime(activity?.endTime ?? next + 2 * hour),
    location: activity?.location ?? '',
    latitude: textOf(activity?.latitude),
    longitude: textOf(activity?.longitude),
    visibility: activity?.visibility ?? 'INVITE_ONLY',
    hasCheckIn: activity?.hasCheckIn ?? false,
    maxPerUser: textOf(activity?.checkInConfig.maxPerUser ?? 1),
    shortCode: activity?.checkInConfig.shortCode ?? '',
    radiusMeters: textOf(activity?.checkInConfig.radiusMeters),
    hasPass: activity?.hasPass ?? false,
    maxUses: textOf(activity?.passConfig.maxUses ?? 1),
    hasRegistration: activity !== undefined && activity.registration !== null,
    capacity: textOf(activity?.registration?.capacity),
    waitlist: activity?.registration?.waitlist ?? false,
  }
}
type Values = ReturnType<typeof initial>

function bodyOf(values: Values) {
  const { name, description, location, latitude, longitude, visibility, hasCheckIn, hasPass } = values
  return {
    name: name.trim(),
    description,
    location: location.trim() || null,
    latitude: numberOf(latitude),
    longitude: numberOf(longitude),
    startTime: Date.parse(values.startTime),
    endTime: Date.parse(values.endTime),
    visibility,
    ...(visibility === 'RESTRICTED' && { restrictedScopeType: 'ORGANIZATION' as const }),
    hasCheckIn,
    ...(hasCheckIn && {
      checkInConfig: {
        maxPerUser: numberOf(values.maxPerUser),
        shortCode: values.shortCode.trim() || null,
        radiusMeters: numberOf(values.radiusMeters),
      },
    }),
    hasPass,
    ...(hasPass && { passConfig: { maxUses: numberOf(values.maxUses) } }),
    registration: values.hasRegistration ? { capacity: numberOf(values.capacity), waitlist: values.waitlist } : null,
  }
}

function Form({ activity }: { activity: AdminActivity | undefined }) {
  const t = useTexts(words)
  const f = useLabels()
  const navigate = useNavigate()
  const visibilities = useChoices('activityVisibility')
  const [values, setValues] = useState(() => initial(activity))
  const open = ({ id }: { id: number }) => void navigate(`/admin/activities/${id}/show`)
  const settings = { quiet: true, refreshes: ['admin.activities', 'admin/activities'], onDone: open }
  const create = useAction('admin.activities.create', { ...settings, done: t.created })
  const update = useAction('admin.activities.update', { ...settings, done: t.saved })
  const { error, isPending } = activity === undefined ? create : update

  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (activity !== undefined) update.mutate({ params: { activityId: activity.id }, body: bodyOf(values) })
    else if (values.ownerId !== null)
      create.mutate({ body: { ...bodyOf(values), ownerType: values.ownerType, ownerId: values.ownerId } })
  }
  const field = (name: keyof Values, problem: string = name) => ({
    name,
    value: values[name],
    error: error?.problem(problem) !== undefined,
    helperText: error?.problem(problem),
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  const choose = (name: 'hasCheckIn' | 'hasPass' | 'hasRegistration' | 'waitlist', label: string) => (
    <FormControlLabel
      control={<Switch checked={values[name]} onChange={(_, checked) => set({ [name]: checked })} />}
      label={label}
    />
  )
  const picker = {
    value: values.ownerId,
    onChange: (ownerId: number | null) => set({ ownerId }),
    error: error?.problem('ownerId'),
    required: true,
  }
  return (
    <Page
      title={activity === undefined ? t.create : t.edit(activity.name)}
      back={activity === undefined ? '/admin/activities' : `/admin/activities/${activity.id}/show`}
      width={760}
    >
      <Stack component="form" spacing={2} onSubmit={submit}>
        {activity === undefined && (
          <Section title={f('owner')}>
            <TextField
              select
              label={f('ownerType')}
              value={values.ownerType}
              onChange={({ target }) =>
                set({
                  ownerType: target.value as Values['ownerType'],
                  ownerId: null,
                  ...(values.visibility === 'RESTRICTED' && { visibility: 'INVITE_ONLY' }),
                })
              }
            >
              <MenuItem value="PERSONAL">{t.forUser}</MenuItem>
              <MenuItem value="ORGANIZATION">{t.forOrg}</MenuItem>
            </TextField>
            {values.ownerType === 'PERSONAL' ? <UserPicker {...picker} /> : <OrgPicker {...picker} />}
          </Section>
        )}
        <Section title={t.basics}>
          <TextField {...field('name')} label={f('name')} required slotProps={{ htmlInput: { maxLength: 100 } }} />
          <TextField {...field('description')} label={f('description')} multiline minRows={3} />
          <Pair>
            <TextField {...field('startTime')} label={f('startTime')} type="datetime-local" required {...SHRUNK} />
            <TextField {...field('endTime')} label={f('endTime')} type="datetime-local" required {...SHRUNK} />
          </Pair>
        </Section>
        <Section title={t.where}>
          <TextField {...field('location')} label={f('location')} />
          <Pair>
            <TextField {...field('latitude')} label={t.latitude} type="number" slotProps={DECIMAL} />
            <TextField {...field('longitude')} label={t.longitude} type="number" slotProps={DECIMAL} />
          </Pair>
          <Typography variant="body2" color="text.secondary">
            {t.both}
          </Typography>
        </Section>
        <Section title={t.who}>
          <TextField {...field('visibility')} select label={f('visibility')}>
            {visibilities
              .filter(({ id }) => id !== 'RESTRICTED' || values.ownerType === 'ORGANIZATION')
              .map(({ id, name }) => (
                <MenuItem key={id} value={id}>
                  {name}
                </MenuItem>
              ))}
          </TextField>
          {choose('hasRegistration', t.registration)}
          {values.hasRegistration && (
            <>
              <TextField {...field('capacity', 'registration.capacity')} label={t.capacity} type="number" />
              {choose('waitlist', t.waitlist)}
            </>
          )}
        </Section>
        <Section title={t.at}>
          {choose('hasCheckIn', f('hasCheckIn'))}
          {values.hasCheckIn && (
            <>
              <TextField {...field('maxPerUser', 'checkInConfig.maxPerUser')} label={t.perUser} type="number" />
              <TextField {...field('shortCode', 'checkInConfig.shortCode')} label={t.shortCode} />
              <TextField {...field('radiusMeters', 'checkInConfig.radiusMeters')} label={t.radius} type="number" />
            </>
          )}
          {choose('hasPass', f('hasPass'))}
          {values.hasPass && <TextField {...field('maxUses', 'passConfig.maxUses')} label={t.entries} type="number" />}
        </Section>
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" variant="contained" size="large" loading={isPending} sx={{ alignSelf: 'flex-start' }}>
          {activity === undefined ? t.create : t.save}
        </Button>
      </Stack>
    </Page>
  )
}

const SHRUNK = { slotProps: { inputLabel: { shrink: true } } } as const
const DECIMAL = { htmlInput: { step: 'any' } } as const

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card variant="outlined">
    <CardContent>
      <Stack spacing={2}>
        <Typography variant="h2">{title}</Typography>
        {children}
      </Stack>
    </CardContent>
  </Card>
)

/** Two short fields side by side on wide screens. */
const Pair = ({ children }: { children: ReactNode }) => (
  <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
    {children}
  </Stack>
)

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** `2026-11-23T14:05` in the zone of the user. */
function localTime(time: number): string {
  const zone = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - zone).toISOString().slice(0, 16)
}
