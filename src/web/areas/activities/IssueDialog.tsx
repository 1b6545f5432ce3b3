/** Issues passes: to everyone who has registered, or to guests by name. */

import { FormControlLabel, Radio, RadioGroup, TextField, Typography } from '@mui/material'
import { useRef } from 'react'

import { useCall } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { Activity, PassTemplateField } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField, NumberField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Issue passes',
    to: 'For whom',
    registered: 'Everyone who has registered and has no pass yet',
    guests: 'Guests, by name',
    names: 'Names, one on each line',
    namesHelp: (n: number) => (n === 1 ? '1 pass' : `${n} passes`),
    uses: 'Entries per pass',
    usesHelp: 'Empty: as set for the activity. 0: unlimited',
    template: 'Template',
    noTemplate: 'As set for the activity',
    action: 'Issue',
    issued: (n: number) => (n === 1 ? '1 pass issued.' : `${n} passes issued.`),
    nobody: 'Nobody has registered yet.',
    everyone: 'Everyone who has registered already has a pass.',
    users: 'Holders with an account get a notification and find their pass in the activity.',
    tooMany: 'At most 5,000 at once.',
    columns: (labels: string) => `After each name, separated by a semicolon or a tab: ${labels}`,
  },
  zh: {
    title: '发放通行证',
    to: '发放给',
    registered: '所有已报名且还没有通行证的人',
    guests: '来宾（填写姓名）',
    names: '姓名，每行一个',
    namesHelp: (n: number) => `共 ${n} 张`,
    uses: '每张可入场次数',
    usesHelp: '留空：按活动设置；0 表示不限',
    template: '模板',
    noTemplate: '按活动设置',
    action: '发放',
    issued: (n: number) => `已发放 ${n} 张通行证。`,
    nobody: '还没有人报名。',
    everyone: '所有已报名者都已有通行证。',
    users: '有账号的持有人会收到通知，并能在活动中看到通行证。',
    tooMany: '一次最多 5000 张。',
    columns: (labels: string) => `姓名后用分号或制表符分隔填写：${labels}`,
  },
})

/** Passes that the server issues at once. */
const MAX_GUESTS = 5000

export function IssueDialog({ activity, onClose }: { activity: Activity; onClose: () => void }) {
  const t = useTexts(words)
  const hasRegistration = activity.registration !== null
  const templates = useCall('passTemplates.list', {
    query: { size: 100, ...(activity.ownerType === 'ORGANIZATION' && { orgId: activity.ownerId }) },
  })
  const fieldsOf = (templateId: number | null) =>
    templates.data?.items.find(({ id }) => id === (templateId ?? activity.passConfig.templateId))?.fields ?? []
  const request = useRef({ asked: '', id: '' })
  const form = useForm(
    'passes.issue',
    {
      to: hasRegistration ? 'registered' : 'guests',
      names: '',
      maxUses: null as number | null,
      templateId: null as number | null,
    },
    {
      refreshes: ['passes', 'activities'],
      onDone({ items }) {
        if (items.length > 0) notify(t.issued(items.length), 'success')
        else notify(activity.stats?.registrations.confirmed === 0 ? t.nobody : t.everyone, 'info')
        onClose()
      },
      input({ to, names, maxUses, templateId }) {
        const body = {
          ...(to === 'registered' ? { toRegistered: true } : { holders: guestsOf(names, fieldsOf(templateId)) }),
          ...(maxUses !== null && { maxUses }),
          ...(templateId !== null && { templateId }),
        }
        // A repeated request is answered with the passes of the first one. A form that was changed is another request.
        const asked = JSON.stringify(body)
        if (request.current.asked !== asked) request.current = { asked, id: newId() }
        return { params: { id: activity.id }, body: { ...body, requestId: request.current.id } }
      },
    },
  )
  const { to, names, templateId } = form.values
  const fields = fieldsOf(templateId)
  const guests = guestsOf(names, fields)
  const isTooMany = guests.length > MAX_GUESTS
  const columns = fields.length > 0 && `${t.columns(fields.map(({ label }) => label).join('; '))}.`
  return (
    <FormDialog form={form} title={t.title} action={t.action} onClose={onClose}>
      {hasRegistration && (
        <RadioGroup aria-label={t.to} value={to} onChange={(_, value) => form.set({ to: value })}>
          <FormControlLabel value="registered" control={<Radio />} label={t.registered} />
          <FormControlLabel value="guests" control={<Radio />} label={t.guests} />
        </RadioGroup>
      )}
      {to === 'guests' ? (
        <TextField
          {...form.text('names', { label: t.names })}
          multiline
          minRows={4}
          maxRows={12}
          required
          autoFocus
          error={isTooMany}
          helperText={isTooMany ? t.tooMany : [columns, t.namesHelp(guests.length)].filter(Boolean).join(' ')}
        />
      ) : (
        <Typography variant="body2" color="text.secondary">
          {t.users}
        </Typography>
      )}
      <NumberField {...form.number('maxUses', { label: t.uses, help: t.usesHelp })} />
      {templates.data !== undefined && templates.data.items.length > 0 && (
        <ChoiceField
          {...form.pick('templateId', { label: t.template })}
          choices={templates.data.items}
          none={t.noTemplate}
        />
      )}
    </FormDialog>
  )
}

/** A guest in each line: `Ann; Row 4; Seat 12`, or the same with tabs, as spreadsheets copy it. Without fields, the whole line is the name. */
function guestsOf(lines: string, fields: readonly PassTemplateField[]) {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      if (fields.length === 0) return { name: line.trim() }
      const [name = '', ...values] = line.split(/[;；\t]/).map((text) => text.trim())
      const given = fields.flatMap(({ key }, i) => (values[i] ? [[key, values[i]] as const] : []))
      return { name, fields: Object.fromEntries(given) }
    })
}
