/** Issues passes: to everyone who has registered, or to guests by name. */

import { FormControlLabel, MenuItem, Radio, RadioGroup, TextField, Typography } from '@mui/material'
import { useRef, useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { Activity, PassTemplateField } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'

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
    issued: (n: number) =>
      n === 0 ? 'Everyone who has registered already has a pass.' : n === 1 ? '1 pass issued.' : `${n} passes issued.`,
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
    issued: (n: number) => (n === 0 ? '所有已报名者都已有通行证。' : `已发放 ${n} 张通行证。`),
    users: '有账号的持有人会收到通知，并能在活动中看到通行证。',
    tooMany: '一次最多 5000 张。',
    columns: (labels: string) => `姓名后用分号或制表符分隔填写：${labels}`,
  },
})

export function IssueDialog({ activity, onClose }: { activity: Activity; onClose: () => void }) {
  const t = useTexts(words)
  const hasRegistration = activity.registration !== null
  const [to, setTo] = useState<'registered' | 'guests'>(hasRegistration ? 'registered' : 'guests')
  const [names, setNames] = useState('')
  const [uses, setUses] = useState('')
  const [templateId, setTemplate] = useState('')
  const templates = useCall('passTemplates.list', {
    query: { size: 100, ...(activity.ownerType === 'ORGANIZATION' && { orgId: activity.ownerId }) },
  })
  const issue = useAction('passes.issue', {
    quiet: true,
    refreshes: ['passes', 'activities'],
    onDone: ({ items }) => {
      notify(t.issued(items.length), items.length === 0 ? 'info' : 'success')
      onClose()
    },
  })
  const chosen = templateId === '' ? activity.passConfig.templateId : Number(templateId)
  const fields = templates.data?.items.find(({ id }) => id === chosen)?.fields ?? []
  const guests = names
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => guestOf(line, fields))
  const asked = {
    ...(to === 'registered' ? { toRegistered: true } : { holders: guests }),
    ...(uses !== '' && { maxUses: Number(uses) }),
    ...(templateId !== '' && { templateId: Number(templateId) }),
  }
  const request = useRef({ form: '', id: '' })
  const submit = () => {
    const form = JSON.stringify(asked)
    // A repeated request is answered with the passes of the first one. A form that was changed is another request.
    if (request.current.form !== form) request.current = { form, id: newId() }
    issue.mutate({ params: { id: activity.id }, body: { ...asked, requestId: request.current.id } })
  }
  return (
    <FormDialog
      isOpen
      title={t.title}
      action={t.action}
      isBusy={issue.isPending}
      error={issue.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {hasRegistration && (
        <RadioGroup aria-label={t.to} value={to} onChange={(_, value) => setTo(value as 'registered' | 'guests')}>
          <FormControlLabel value="registered" control={<Radio />} label={t.registered} />
          <FormControlLabel value="guests" control={<Radio />} label={t.guests} />
        </RadioGroup>
      )}
      {to === 'guests' && (
        <TextField
          label={t.names}
          multiline
          minRows={4}
          maxRows={12}
          required
          autoFocus
          value={names}
          onChange={({ target }) => setNames(target.value)}
          helperText={
            guests.length > 5000
              ? t.tooMany
              : [
                  fields.length > 0 && `${t.columns(fields.map(({ label }) => label).join('; '))}.`,
                  t.namesHelp(guests.length),
                ]
                  .filter(Boolean)
                  .join(' ')
          }
          error={guests.length > 5000}
        />
      )}
      {to === 'registered' && (
        <Typography variant="body2" color="text.secondary">
          {t.users}
        </Typography>
      )}
      <TextField
        label={t.uses}
        type="number"
        value={uses}
        onChange={({ target }) => setUses(target.value)}
        helperText={issue.error?.problem('maxUses') ?? t.usesHelp}
        error={issue.error?.problem('maxUses') !== undefined}
        slotProps={{ htmlInput: { min: 0 } }}
      />
      {templates.data !== undefined && templates.data.items.length > 0 && (
        <TextField
          select
          label={t.template}
          value={templateId}
          onChange={({ target }) => setTemplate(target.value)}
          slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
        >
          <MenuItem value="">{t.noTemplate}</MenuItem>
          {templates.data.items.map(({ id, name }) => (
            <MenuItem key={id} value={String(id)}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      )}
    </FormDialog>
  )
}

/** `Ann; Row 4; Seat 12`, or the same with tabs, as spreadsheets copy it. Without fields, the whole line is the name. */
function guestOf(line: string, fields: readonly PassTemplateField[]) {
  if (fields.length === 0) return { name: line.trim() }
  const [name = '', ...values] = line.split(/[;；\t]/).map((text) => text.trim())
  const given = fields.flatMap(({ key }, i) => (values[i] ? [[key, values[i]] as const] : []))
  return { name, fields: Object.fromEntries(given) }
}
