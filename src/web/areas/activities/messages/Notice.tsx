/** The question whether to notify participants of another time or place, or of a cancellation. */

import { TextField } from '@mui/material'
import { useState } from 'react'

import type { Activity } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { common } from '../../../i18n/common.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import type { Form } from '../../../ui/use-form.tsx'
import { bodyOf, type Saved, type Values } from '../form-values.ts'
import { rightsOf } from '../rights.ts'
import { isNoticed } from './notice-rules.ts'
import { useRecipients } from './use-recipients.ts'

export const noticeWords = texts({
  en: {
    ask: (n: number | undefined) =>
      n === undefined ? 'Tell the participants?' : n === 1 ? 'Tell 1 participant?' : `Tell ${number(n)} participants?`,
    changed: 'The time or the place is another one now.',
    send: 'Send a notice',
    tell: (n: number | undefined) =>
      n === undefined ? 'Tell the participants' : n === 1 ? 'Tell 1 participant' : `Tell ${number(n)} participants`,
    how: 'In the app and by e-mail, with the change and these words.',
    howInApp: 'In the app, with the change and these words. This server has no mail server.',
    nobody: 'They see the change only when they open the activity.',
    words: 'Your words (optional)',
  },
  zh: {
    ask: (n: number | undefined) => (n === undefined ? '通知参加者？' : `通知 ${number(n)} 位参加者？`),
    changed: '时间或地点已变更。',
    send: '发送通知',
    tell: (n: number | undefined) => (n === undefined ? '通知参加者' : `通知 ${number(n)} 位参加者`),
    how: '通过应用内通知和邮件，包含变更内容和以下附言。',
    howInApp: '通过应用内通知，包含变更内容和以下附言。服务器未配置邮件服务。',
    nobody: '他们打开活动时才会看到变更。',
    words: '附言（选填）',
  },
})

export interface NoticeValues {
  readonly notify: boolean
  readonly noticeText: string
}

/** The part of the request that answers the question. */
export const noticeBody = ({ notify, noticeText }: NoticeValues) => ({
  notify,
  ...(notify && noticeText.trim() !== '' && { noticeText: noticeText.trim() }),
})

/** The answer before it is given. */
export const noticeValues = (activity: Pick<Activity, 'autoNotices'> | undefined): NoticeValues => ({
  notify: activity?.autoNotices ?? true,
  noticeText: '',
})

export interface Readers {
  /** False: there is nobody to notify, so nothing is asked. */
  readonly areThere: boolean
  /** Undefined while they are counted, and for users who may not count them. */
  readonly count: number | undefined
}

type Told = Pick<Activity, 'id' | 'status' | 'ownerType' | 'ownerId' | 'createdBy'>

/** Those whom an activity would tell about a change. Only those who manage it may count them. */
export function useReaders(activity: Told | undefined): Readers {
  const session = useSession()
  const isActive = activity?.status === 'ACTIVE'
  const mayCount = isActive && rightsOf(session, activity)('activityMessages.create')
  const count = useRecipients(activity?.id ?? 0, { enabled: mayCount }).data?.recipients
  return { areThere: isActive && count !== 0, count }
}

/** The form of an activity: whether it asks before these values are saved, and the body of its request. */
export function useNotice(activity: (Told & Saved) | undefined) {
  const [now] = useState(serverTime)
  const readers = useReaders(activity)
  const isAsked = (values: Values): boolean =>
    activity !== undefined && readers.areThere && isNoticed(activity, values, now)
  return {
    readers,
    isAsked,
    body: ({ notify, noticeText, ...values }: Values & NoticeValues) => ({
      ...bodyOf(values),
      ...(isAsked(values) && noticeBody({ notify, noticeText })),
    }),
  }
}

/** Below the form of an activity. */
export function NoticeQuestion({ form, readers }: { form: Form<Values & NoticeValues>; readers: Readers }) {
  const t = useTexts(noticeWords)
  const { save } = useTexts(common)
  return (
    <ConfirmDialog {...form.question} title={t.ask(readers.count)} text={t.changed} action={save} color="primary">
      <NoticeFields label={t.send} values={form.values} onChange={form.set} />
    </ConfirmDialog>
  )
}

/** A server takes 500 characters. */
const LONGEST = 500

export interface NoticeFieldsProps {
  /** Beside the switch. */
  label: string
  values: NoticeValues
  onChange: (part: Partial<NoticeValues>) => void
}

export function NoticeFields({ label, values: { notify, noticeText }, onChange }: NoticeFieldsProps) {
  const t = useTexts(noticeWords)
  const { mailAvailable } = useSession().user
  return (
    <>
      <CheckField
        name="notify"
        label={label}
        value={notify}
        onChange={(next) => onChange({ notify: next })}
        help={notify ? (mailAvailable ? t.how : t.howInApp) : t.nobody}
      />
      {notify && (
        <TextField
          label={t.words}
          value={noticeText}
          onChange={({ target }) => onChange({ noticeText: target.value })}
          multiline
          minRows={2}
          maxRows={6}
          slotProps={{ htmlInput: { maxLength: LONGEST } }}
        />
      )}
    </>
  )
}
