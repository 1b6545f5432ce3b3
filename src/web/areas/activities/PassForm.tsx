/** The form that changes the validity, the entries, the name and the fields of a pass. */

import { TextField, Typography } from '@mui/material'

import type { Pass } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { passWords } from './words.ts'

const words = texts({
  en: {
    title: 'Change the pass',
    saved: 'The pass has been changed.',
    holder: 'Name on the pass',
    uses: 'Entries',
    usesHelp: (used: number) => `0: unlimited. Used so far: ${used}`,
    codes: 'The code stays valid, and gates use the new values. Holders with an account are notified of other times.',
  },
  zh: {
    title: '修改通行证',
    saved: '通行证已修改。',
    holder: '通行证上的姓名',
    uses: '可入场次数',
    usesHelp: (used: number) => `0 表示不限；已使用 ${used} 次`,
    codes: '二维码仍可使用，入口以此处设置为准。有账号的持有人会收到时间变更通知。',
  },
})

export function PassForm({ pass, endTime, onClose }: { pass: Pass; endTime: number; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(passWords)
  const form = useForm(
    'passes.update',
    {
      holderName: pass.holderName,
      followsActivity: pass.followsActivity,
      validFrom: pass.validFrom as number | null,
      validTo: pass.validTo as number | null,
      maxUses: pass.maxUses as number | null,
      fields: Object.fromEntries(pass.fields.map(({ key, value }) => [key, value])) as Record<string, string>,
    },
    {
      done: t.saved,
      refreshes: ['passes', 'activities'],
      onDone: onClose,
      input({ followsActivity, validTo, maxUses, ...rest }) {
        const end = followsActivity || validTo === null ? { followsActivity } : { validTo }
        return { params: { passId: pass.id }, body: { ...rest, ...end, ...(maxUses !== null && { maxUses }) } }
      },
    },
  )
  const { followsActivity, fields } = form.values
  return (
    <FormDialog form={form} title={t.title} action={shared.save} onClose={onClose}>
      <TextField {...form.text('holderName', { label: t.holder })} />
      <CheckField
        {...form.check('followsActivity', { label: shared.follows, help: shared.until(dateTime(endTime)) })}
      />
      {!followsActivity && <TextField {...form.time('validTo', { label: shared.validTo })} />}
      <TextField {...form.time('validFrom', { label: shared.validFrom, help: shared.atOnce })} />
      <NumberField {...form.number('maxUses', { label: t.uses, help: t.usesHelp(pass.usedCount) })} />
      {pass.fields.map(({ key, label }) => (
        <TextField
          key={key}
          label={label}
          value={fields[key]}
          onChange={({ target }) => form.set((now) => ({ fields: { ...now.fields, [key]: target.value } }))}
          error={form.problem(`fields.${key}`) !== undefined}
          helperText={form.problem(`fields.${key}`)}
        />
      ))}
      <Typography variant="body2" color="text.secondary">
        {t.codes}
      </Typography>
    </FormDialog>
  )
}
