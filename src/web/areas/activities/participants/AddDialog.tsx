/** Enters one person by hand: a guest by name and e-mail, or a member of the organization or a contact. */

import { Alert, Autocomplete, TextField } from '@mui/material'
import { useRef } from 'react'

import { newId } from '../../../api/new-id.ts'
import { useAll } from '../../../api/pages.ts'
import type { Activity, BodyOf } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useSession } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField, ChoiceField, ToggleField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { LANGUAGES, participantWords } from './words.ts'

const words = texts({
  en: {
    title: 'Add a person',
    kinds: { GUEST: 'By name', ACCOUNT: 'With an account' },
    email: 'E-mail (optional)',
    emailHelp: 'It gets no messages until its owner has confirmed it. Organizations ask for that by mail.',
    noMail: 'This server has no mail server, so guests get no mails.',
    member: 'Member',
    contact: 'Contact',
    nobody: 'Nobody found',
    status: 'Status',
    statuses: { CONFIRMED: 'A place', WAITING: 'Waiting list' },
    add: 'Add',
    added: 'The person is registered.',
  },
  zh: {
    title: '添加参加者',
    kinds: { GUEST: '按姓名', ACCOUNT: '有账号' },
    email: '邮箱（可不填）',
    emailHelp: '在其主人确认之前不会收到消息。组织的活动会发邮件请对方确认。',
    noMail: '服务器未配置邮件服务，来宾不会收到邮件。',
    member: '成员',
    contact: '联系人',
    nobody: '没有找到',
    status: '状态',
    statuses: { CONFIRMED: '报名', WAITING: '候补' },
    add: '添加',
    added: '已添加。',
  },
})

type Item = BodyOf<'registrations.add'>['items'][number]

const EMPTY = {
  kind: 'GUEST' as 'GUEST' | 'ACCOUNT',
  name: '',
  email: '',
  language: null as 'en' | 'zh' | null,
  userId: null as number | null,
  status: 'CONFIRMED' as 'CONFIRMED' | 'WAITING',
  note: '',
  overCapacity: false,
  notify: true,
}

export default function AddDialog({ activity, onClose }: { activity: Activity; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const { mailAvailable } = useSession().user
  const questions = activity.registration?.questions ?? []
  const request = useRef({ asked: '', id: '' })
  const form = useForm(
    'registrations.add',
    () => ({ ...EMPTY, ...Object.fromEntries(questions.map(({ key }) => [`answers.${key}`, ''])) }),
    {
      done: t.added,
      refreshes: ['registrations', 'activities', 'passes'],
      onDone: onClose,
      paths: pathsOf(questions.map(({ key }) => `answers.${key}`)),
      input({ kind, name, email, language, userId, status, note, overCapacity, notify, ...answers }) {
        const given = Object.entries(answers as Record<string, string>).flatMap(([field, answer]) =>
          answer.trim() === '' ? [] : [[field.slice('answers.'.length), answer] as const],
        )
        const item = {
          ...(kind === 'ACCOUNT'
            ? { userId }
            : {
                name: name.trim(),
                ...(email.trim() !== '' && { email: email.trim() }),
                ...(language !== null && { language }),
              }),
          status,
          ...(note.trim() !== '' && { note: note.trim() }),
          ...(given.length > 0 && { answers: Object.fromEntries(given) }),
        } as Item
        const body = { items: [item], overCapacity, notify }
        // A repeated request is answered with the person of the first one. A form that was changed is another request.
        const asked = JSON.stringify(body)
        if (request.current.asked !== asked) request.current = { asked, id: newId() }
        return { params: { id: activity.id }, body: { ...body, requestId: request.current.id } }
      },
    },
  )
  const { kind, status } = form.values
  return (
    <FormDialog form={form} title={t.title} action={t.add} onClose={onClose}>
      <ToggleField value={kind} onChange={(next) => form.set({ kind: next })} choices={t.kinds} />
      {kind === 'GUEST' ? (
        <>
          <TextField {...form.text('name', { label: shared.name })} required autoFocus />
          <TextField
            {...form.text('email', { label: t.email, help: mailAvailable ? t.emailHelp : t.noMail })}
            type="email"
          />
          <ChoiceField
            {...form.pick('language', { label: shared.language })}
            choices={LANGUAGES}
            none={shared.noLanguage}
          />
        </>
      ) : (
        <AccountPicker
          value={form.values.userId}
          onChange={(userId) => form.set({ userId })}
          error={form.problem('userId')}
        />
      )}
      {questions.map(({ key, label }) => (
        <TextField key={key} {...form.text(`answers.${key}` as never, { label })} required={false} multiline />
      ))}
      <TextField {...form.text('note', { label: shared.note, help: shared.noteHelp })} multiline />
      <TextField {...form.choice('status', t.statuses, { label: t.status })} required={false} />
      {status !== 'WAITING' && activity.registration?.capacity != null && (
        <CheckField {...form.check('overCapacity', { label: shared.over })} isBox />
      )}
      <CheckField {...form.check('notify', { label: shared.tell })} isBox />
      {form.problem('items') !== undefined && <Alert severity="error">{form.problem('items')}</Alert>}
    </FormDialog>
  )
}

/** All values of the only person are in the first item. */
const pathsOf = (answers: readonly string[]): Record<string, string | string[]> => ({
  kind: [],
  ...Object.fromEntries(
    ['name', 'email', 'language', 'userId', 'status', 'note', ...answers].map((name) => [name, `items.0.${name}`]),
  ),
})

interface AccountPickerProps {
  value: number | null
  onChange: (userId: number | null) => void
  error: string | undefined
}

/** Members of the organization; for a personal activity contacts of the user. */
function AccountPicker({ value, onChange, error }: AccountPickerProps) {
  const t = useTexts(words)
  const owner = useOwner()
  const may = useMay()
  const isOrg = owner != null
  const members = useAll(
    'orgs.members',
    { params: { orgId: owner?.id ?? 0 } },
    { enabled: isOrg && may('orgs.members'), staleTime: 60_000 },
  )
  const contacts = useAll('contacts.list', { query: { blocked: false } }, { enabled: !isOrg, staleTime: 60_000 })
  const people: readonly { userId: number; nickname: string }[] = (isOrg ? members.data : contacts.data) ?? []
  return (
    <Autocomplete
      value={people.find(({ userId }) => userId === value) ?? null}
      options={people}
      getOptionLabel={({ nickname }) => nickname}
      getOptionKey={({ userId }) => userId}
      isOptionEqualToValue={(a, b) => a.userId === b.userId}
      loading={(isOrg ? members : contacts).isLoading}
      noOptionsText={t.nobody}
      onChange={(_, chosen) => onChange(chosen?.userId ?? null)}
      renderInput={(input) => (
        <TextField
          {...input}
          required
          label={isOrg ? t.member : t.contact}
          error={error !== undefined}
          helperText={error}
        />
      )}
    />
  )
}
