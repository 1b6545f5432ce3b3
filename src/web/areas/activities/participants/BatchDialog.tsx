/** Confirms, rejects or cancels the registrations of many people. The server counts them before. */

import { LinearProgress, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { call } from '../../../api/client.ts'
import { useAction } from '../../../api/hooks.ts'
import { newId } from '../../../api/new-id.ts'
import type { Activity, ActivityBatchResult, BodyOf, ParticipantFilter } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ConfirmDialog, FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { type Action, participantWords } from './words.ts'

const words = texts({
  en: {
    titles: {
      CONFIRM: 'Confirm many people',
      WAIT: 'Move many people to the waiting list',
      REJECT: 'Reject many people',
      CANCEL: 'Cancel many registrations',
    },
    selected: (n: number) => (n === 1 ? 'For the selected person.' : `For the ${number(n)} selected people.`),
    filtered: 'For everybody whom search and filters of the list show.',
    all: 'For everybody who is confirmed or on the waiting list.',
    count: 'Count',
    CONFIRM: (n: string) => `Confirm ${n}?`,
    WAIT: (n: string) => `Move ${n} to the waiting list?`,
    REJECT: (n: string) => `Reject ${n}?`,
    CANCEL: (n: string) => `Cancel the registrations of ${n}?`,
    people: (n: number) => (n === 1 ? '1 person' : `${number(n)} people`),
    nothing: 'Nobody to change',
    numbers: (matched: number, unchanged: number) =>
      `${number(matched)} selected, of whom ${number(unchanged)} stay as they are: they have this status already, cannot get it, or there is no place for them.`,
    told: 'They are notified.',
    silent: 'They are not notified.',
    progress: (done: number, all: number) => `${number(done)} of ${number(all)}`,
    done: (n: number) => (n === 1 ? '1 registration changed.' : `${number(n)} registrations changed.`),
  },
  zh: {
    titles: { CONFIRM: '批量确认', WAIT: '批量移入候补', REJECT: '批量拒绝', CANCEL: '批量取消报名' },
    selected: (n: number) => `针对所选的 ${number(n)} 人。`,
    filtered: '针对列表中按搜索和筛选显示的所有人。',
    all: '针对所有已报名和候补的人。',
    count: '统计人数',
    CONFIRM: (n: string) => `确认 ${n}的报名？`,
    WAIT: (n: string) => `将 ${n}移入候补？`,
    REJECT: (n: string) => `拒绝 ${n}？`,
    CANCEL: (n: string) => `取消 ${n}的报名？`,
    people: (n: number) => `${number(n)} 人`,
    nothing: '没有需要更改的人',
    numbers: (matched: number, unchanged: number) =>
      `共选中 ${number(matched)} 人，其中 ${number(unchanged)} 人保持不变：已是此状态、无法改为此状态，或没有名额。`,
    told: '将通知他们。',
    silent: '不会通知他们。',
    progress: (done: number, all: number) => `${number(done)} / ${number(all)}`,
    done: (n: number) => `已更改 ${number(n)} 人的报名。`,
  },
})

type Body = BodyOf<'registrations.batch'>

export interface BatchDialogProps {
  activity: Activity
  action: Action
  filter: ParticipantFilter
  onDone: () => void
  onClose: () => void
}

export default function BatchDialog({ activity, action, filter, onDone, onClose }: BatchDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const [counted, setCounted] = useState<{ body: Body; numbers: ActivityBatchResult }>()
  const params = { id: activity.id }
  const hasReason = action === 'REJECT' || action === 'CANCEL'
  const bodyOf = ({ reason, ...others }: { reason: string; notify: boolean; overCapacity: boolean }): Body => ({
    action,
    filter,
    ...others,
    ...(hasReason && reason.trim() !== '' && { reason: reason.trim() }),
  })
  const form = useForm(
    'registrations.batch',
    { reason: '', notify: true, overCapacity: false },
    {
      refreshes: [],
      input: (values) => ({ params, body: { ...bodyOf(values), dryRun: true } }),
      onDone: (numbers) => setCounted({ body: bodyOf(form.values), numbers }),
    },
  )
  return (
    <FormDialog form={form} title={t.titles[action]} action={t.count} onClose={onClose}>
      <Typography>
        {filter.ids !== undefined ? t.selected(filter.ids.length) : Object.keys(filter).length > 0 ? t.filtered : t.all}
      </Typography>
      {hasReason && <TextField {...form.text('reason', { label: shared.reason, help: shared.reasonHelp })} />}
      {action === 'CONFIRM' && activity.registration?.capacity != null && (
        <CheckField {...form.check('overCapacity', { label: shared.over })} isBox />
      )}
      <CheckField {...form.check('notify', { label: shared.tellMany })} isBox />
      {counted && (
        <Question
          {...counted}
          params={params}
          onClose={() => setCounted(undefined)}
          onDone={() => {
            onDone()
            onClose()
          }}
        />
      )}
    </FormDialog>
  )
}

interface QuestionProps {
  params: { id: number }
  body: Body
  numbers: ActivityBatchResult
  onClose: () => void
  onDone: () => void
}

function Question({ params, body, numbers, onClose, onDone }: QuestionProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const { matched, changed, remaining, unchanged } = numbers
  const n = changed + remaining
  const [done, setDone] = useState<number>()
  const run = useAction('registrations.batch', {
    refreshes: ['registrations', 'activities', 'passes'],
    quiet: true,
    async send(input) {
      // Repeated until nothing remains.
      for (let sum = 0; ;) {
        setDone(sum)
        const result = await call('registrations.batch', { params, body: { ...input.body, requestId: newId() } })
        sum += result.changed
        if (result.remaining === 0 || result.changed === 0) return { ...result, changed: sum }
      }
    },
    onDone(result) {
      notify(t.done(result.changed), 'success')
      onDone()
    },
  })
  const isEnding = body.action === 'REJECT' || body.action === 'CANCEL'
  return (
    <ConfirmDialog
      isOpen
      title={n === 0 ? t.nothing : t[body.action](t.people(n))}
      text={[(unchanged > 0 || n === 0) && t.numbers(matched, unchanged), n > 0 && (body.notify ? t.told : t.silent)]
        .filter(Boolean)
        .join(' ')}
      action={n === 0 ? shared.close : shared.actions[body.action]}
      isCancelling={body.action === 'CANCEL'}
      color={isEnding ? 'error' : 'primary'}
      isBusy={run.isPending}
      error={run.error}
      onConfirm={() => (n === 0 ? onClose() : run.mutate({ params, body }))}
      onClose={() => !run.isPending && onClose()}
    >
      {run.isPending && done !== undefined && (
        <div aria-live="polite">
          <Typography variant="body2">{t.progress(done, n)}</Typography>
          <LinearProgress
            variant={done === 0 ? 'indeterminate' : 'determinate'}
            value={(100 * done) / n}
            aria-label={t.progress(done, n)}
          />
        </div>
      )}
    </ConfirmDialog>
  )
}
