/** The fields of an organization, for the form that creates one and for its settings. */

import { Box, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import type { JoinPolicy, Organization, OrganizationVisibility } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { useLabels } from '../../i18n/fields.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { NumberField } from '../../ui/fields.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { ZonePicker } from '../../ui/ZonePicker.tsx'

const words = texts({
  en: {
    description: 'Description',
    descriptionHelp: 'Shown to everyone who may see the organization.',
    visibilityHelp: {
      PUBLIC: 'Anyone can find the organization and open its page in the browser.',
      INTERNAL: 'Only members see the organization, and new members come by invitation.',
    },
    joiningHelp: {
      FREE: 'Anyone who has the code becomes a member at once.',
      APPROVAL: 'Anyone who has the code can ask, and a member with this right decides.',
      INVITE: 'New members come by invitation only. The code does not work.',
    },
  },
  zh: {
    description: '简介',
    descriptionHelp: '能看到该组织的人都可以看到。',
    visibilityHelp: {
      PUBLIC: '任何人都可以找到该组织，并在浏览器中打开其主页。',
      INTERNAL: '仅成员可见，新成员凭邀请加入。',
    },
    joiningHelp: {
      FREE: '有组织码的人可立即成为成员。',
      APPROVAL: '有组织码的人可以申请，由有权限的成员审批。',
      INVITE: '新成员仅凭邀请加入，组织码无效。',
    },
  },
})

export interface OrgValues {
  readonly name: string
  readonly description: string
  readonly visibility: OrganizationVisibility
  readonly joinPolicy: JoinPolicy
  readonly memberLimit: number | null
  readonly timeZone: string
  readonly avatarUrl: string | null
  /** Undefined: the picture stays. Null: it is removed. */
  readonly avatarFileId: number | null | undefined
}

export const valuesOf = (org?: Pick<Organization, Exclude<keyof OrgValues, 'avatarFileId'>>): OrgValues => ({
  name: org?.name ?? '',
  description: org?.description ?? '',
  visibility: org?.visibility ?? 'PUBLIC',
  joinPolicy: org?.joinPolicy ?? 'APPROVAL',
  memberLimit: org?.memberLimit ?? 500,
  timeZone: org?.timeZone ?? timeZone(),
  avatarUrl: org?.avatarUrl ?? null,
  avatarFileId: undefined,
})

/** The body of the request that creates or updates the organization. */
export const bodyOf = ({
  name,
  description,
  visibility,
  joinPolicy,
  memberLimit,
  timeZone: zone,
  avatarFileId,
}: OrgValues) => ({
  name,
  description,
  visibility,
  joinPolicy: visibility === 'INTERNAL' ? ('INVITE' as const) : joinPolicy,
  ...(memberLimit !== null && { memberLimit }),
  timeZone: zone,
  ...(avatarFileId !== undefined && { avatarFileId }),
})

export interface OrgFieldsProps {
  form: Form<OrgValues>
  /** The organization that owns the picture from its upload on; undefined while it does not exist, and for administrators. */
  orgId?: number
}

export function OrgFields({ form, orgId }: OrgFieldsProps) {
  const t = useTexts(words)
  const label = useLabels()
  const [now] = useState(serverTime)
  const { name, avatarUrl, visibility, joinPolicy } = form.values
  const policy = visibility === 'INTERNAL' ? 'INVITE' : joinPolicy
  return (
    <Stack spacing={2.5}>
      <PictureField
        url={avatarUrl}
        name={name}
        look="organization"
        type="org"
        orgId={orgId}
        error={form.problem('avatarFileId')}
        onChange={(fileId, url) => form.set({ avatarFileId: fileId, avatarUrl: url })}
      />
      <TextField {...form.text('name')} />
      <TextField
        {...form.text('description', { label: t.description, help: t.descriptionHelp })}
        multiline
        minRows={2}
      />
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
        <TextField {...form.choice('visibility', 'orgVisibility', { help: t.visibilityHelp[visibility] })} />
        <TextField
          {...form.choice('joinPolicy', 'joinPolicy', { help: t.joiningHelp[policy] })}
          value={policy}
          disabled={visibility === 'INTERNAL'}
        />
        <NumberField {...form.number('memberLimit')} slotProps={{ htmlInput: { inputMode: 'numeric' } }} />
      </Box>
      <ZonePicker
        label={label('timeZone')}
        value={form.values.timeZone}
        onChange={(zone) => form.set({ timeZone: zone })}
        at={now}
        error={form.problem('timeZone')}
      />
    </Stack>
  )
}
