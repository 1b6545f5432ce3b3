/** Changes or revokes all passes that the list shows. The server counts them before. */

import { FormControlLabel, MenuItem, Radio, RadioGroup, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { call } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { Activity, ActivityBatchResult, DataOf, InputOf, PassStatus } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useRights } from './rights.ts'
import { passWords } from './words.ts'

const words = texts({
  en: {
    title: 'Change many passes',
    all: 'For all passes of this activity.',
    filtered: 'For the passes that the search and the status of the list select.',
    action: 'What to do',
    UPDATE: 'Change',
    REVOKE: 'Revoke',
    registration: 'Whose',
    ANY: 'All of them',
    CONFIRMED: 'Only of those who are registered',
    WAITING: 'Only of those who wait for a place',
    CANCELLED: 'Only of those who cancelled their registration',
    NONE: 'Only of those without a registration, such as guests',
    end: 'End',
    KEEP: 'As it is',
    FOLLOW: 'The end of the activity',
    OWN: 'Another time',
    uses: 'Entries',
    keepHelp: 'Empty: as it is',
    usesHelp: 'Empty: as it is. 0: unlimited',
    reason: 'Reason (optional)',
    count: 'Count',
    change: (n: string) => `Change ${n} passes?`,
    revoke: (n: string) => `Revoke ${n} passes?`,
    numbers: (matched: string, unchanged: string) =>
      `${matched} passes are selected. ${unchanged} of them stay as they are: they have these values already, are revoked, or their holder has another live pass.`,
    final: 'Gates refuse them from now on. A revoked pass cannot become valid again.',
    tell: 'Tell the holders',
    tellHelp: 'Holders of live passes that are revoked or get other times are notified in the app and by e-mail.',
    told: 'The holders of live passes are notified.',
    silent: 'The holders are not notified.',
    nothing: 'Nothing to change',
    ok: 'Change',
    done: (n: string) => `${n} passes changed.`,
  },
  zh: {
    title: '批量处理通行证',
    all: '针对此活动的全部通行证。',
    filtered: '针对列表中按搜索和状态选出的通行证。',
    action: '操作',
    UPDATE: '修改',
    REVOKE: '作废',
    registration: '范围',
    ANY: '全部',
    CONFIRMED: '仅已报名者',
    WAITING: '仅候补者',
    CANCELLED: '仅已取消报名者',
    NONE: '仅没有报名的人（如来宾）',
    end: '失效时间',
    KEEP: '保持不变',
    FOLLOW: '随活动结束',
    OWN: '其他时间',
    uses: '可入场次数',
    keepHelp: '留空：保持不变',
    usesHelp: '留空：保持不变；0 表示不限',
    reason: '原因（可不填）',
    count: '统计数量',
    change: (n: string) => `修改 ${n} 张通行证？`,
    revoke: (n: string) => `作废 ${n} 张通行证？`,
    numbers: (matched: string, unchanged: string) =>
      `共选中 ${matched} 张，其中 ${unchanged} 张保持不变：已是这些设置、已作废，或持有人另有有效通行证。`,
    final: '入口将立即拒绝这些通行证，作废后无法恢复。',
    tell: '通知持有人',
    tellHelp: '有效通行证被作废或更改时间时，通过应用和邮件通知。',
    told: '将通知有效通行证的持有人。',
    silent: '不会通知持有人。',
    nothing: '没有需要修改的通行证',
    ok: '修改',
    done: (n: string) => `已处理 ${n} 张通行证。`,
  },
})

const REGISTRATIONS = ['ANY', 'CONFIRMED', 'WAITING', 'CANCELLED', 'NONE'] as const
const ENDS = ['KEEP', 'FOLLOW', 'OWN'] as const

type Body = InputOf<'passes.batch'>['body']

export interface PassBatchProps {
  activity: Activity
  /** Of the list. */
  filter: { readonly keyword?: string; readonly status?: PassStatus }
  onClose: () => void
}

const INITIAL = {
  action: 'UPDATE' as 'UPDATE' | 'REVOKE',
  registration: 'ANY' as (typeof REGISTRATIONS)[number],
  end: 'FOLLOW' as (typeof ENDS)[number],
  validTo: null as number | null,
  validFrom: null as number | null,
  maxUses: null as number | null,
  reason: '',
  notify: false,
}

function bodyOf(values: typeof INITIAL, filter: PassBatchProps['filter']): Body {
  const { action, registration, end, validTo, validFrom, maxUses, reason, notify: isTold } = values
  const selected = { ...filter, ...(registration !== 'ANY' && { registration }) }
  const tell = isTold && { notify: true }
  if (action === 'REVOKE') return { action, filter: selected, reason: reason.trim() || null, ...tell }
  return {
    action,
    ...tell,
    filter: selected,
    values: {
      ...(end === 'FOLLOW' && { followsActivity: true }),
      ...(end === 'OWN' && validTo !== null && { validTo }),
      ...(validFrom !== null && { validFrom }),
      ...(maxUses !== null && { maxUses }),
    },
  }
}

/** Repeats the request until nothing remains. */
async function runAll({ params, body }: InputOf<'passes.batch'>): Promise<DataOf<'passes.batch'>> {
  for (let before = 0; ;) {
    const result = await call('passes.batch', { params, body: { ...body, requestId: newId() } })
    before += result.changed
    if (result.remaining === 0 || result.changed === 0) return { ...result, changed: before }
  }
}

export function PassBatch({ activity, filter, onClose }: PassBatchProps) {
  const t = useTexts(words)
  const shared = useTexts(passWords)
  const can = useRights(activity)
  const [counted, setCounted] = useState<{ body: Body; numbers: ActivityBatchResult }>()
  const params = { id: activity.id }
  const form = useForm('passes.batch', INITIAL, {
    refreshes: [],
    input: (values) => ({ params, body: { ...bodyOf(values, filter), dryRun: true } }),
    onDone: (numbers) => setCounted({ body: bodyOf(form.values, filter), numbers }),
    paths: { validTo: 'values.validTo', validFrom: 'values.validFrom', maxUses: 'values.maxUses' },
  })
  const { action, end, registration } = form.values
  const choice = (name: 'registration' | 'end', label: string, values: readonly (keyof typeof words.en & string)[]) => (
    <TextField
      select
      label={label}
      value={name === 'end' ? end : registration}
      onChange={({ target }) => form.set({ [name]: target.value })}
    >
      {values.map((value) => (
        <MenuItem key={value} value={value}>
          {t[value] as string}
        </MenuItem>
      ))}
    </TextField>
  )
  return (
    <FormDialog form={form} title={t.title} action={t.count} onClose={onClose}>
      <Typography>{Object.keys(filter).length > 0 ? t.filtered : t.all}</Typography>
      <RadioGroup
        row
        aria-label={t.action}
        value={action}
        onChange={(_, value) => form.set({ action: value as typeof action })}
      >
        {can('passes.update') && <FormControlLabel value="UPDATE" control={<Radio />} label={t.UPDATE} />}
        {can('passes.revoke') && <FormControlLabel value="REVOKE" control={<Radio />} label={t.REVOKE} />}
      </RadioGroup>
      {activity.registration !== null && choice('registration', t.registration, REGISTRATIONS)}
      {action === 'REVOKE' ? (
        <TextField {...form.text('reason', { label: t.reason })} />
      ) : (
        <>
          {choice('end', t.end, ENDS)}
          {end === 'OWN' && <TextField {...form.time('validTo', { label: shared.validTo })} required />}
          <TextField {...form.time('validFrom', { label: shared.validFrom, help: t.keepHelp })} />
          <NumberField {...form.number('maxUses', { label: t.uses, help: t.usesHelp })} />
        </>
      )}
      <CheckField {...form.check('notify', { label: t.tell, help: t.tellHelp })} isBox />
      {counted && <Question {...counted} params={params} onClose={() => setCounted(undefined)} onDone={onClose} />}
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
  const { matched, changed, remaining, unchanged } = numbers
  const run = useAction('passes.batch', {
    refreshes: ['passes', 'activities'],
    quiet: true,
    send: runAll,
    onDone(result) {
      notify(t.done(number(result.changed)), 'success')
      onDone()
    },
  })
  const n = changed + remaining
  const isRevoking = body.action === 'REVOKE'
  return (
    <ConfirmDialog
      isOpen
      title={n === 0 ? t.nothing : isRevoking ? t.revoke(number(n)) : t.change(number(n))}
      text={[t.numbers(number(matched), number(unchanged)), isRevoking && t.final, body.notify ? t.told : t.silent]
        .filter(Boolean)
        .join(' ')}
      action={isRevoking ? t.REVOKE : t.ok}
      color={isRevoking ? 'error' : 'primary'}
      isBusy={run.isPending}
      error={run.error}
      onConfirm={() => (n === 0 ? onClose() : run.mutate({ params, body }))}
      onClose={onClose}
    />
  )
}
