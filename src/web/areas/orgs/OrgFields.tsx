/** The fields of an organization, for the form that creates one and for its settings. */

import { Box, MenuItem, Stack, TextField } from '@mui/material'

import type { ApiError } from '../../api/errors.ts'
import type { JoinPolicy, Organization, OrganizationVisibility } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { PictureField } from '../../ui/PictureField.tsx'

const words = texts({
  en: {
    ...common.en,
    description: 'Description',
    descriptionHelp: 'Shown to everyone who may see the organization.',
    visibility: 'Visibility',
    visibilityHelp: {
      PUBLIC: 'Anyone can find the organization and has a page to open in the browser.',
      INTERNAL: 'Only members see the organization, and new members come by invitation.',
    },
    joining: 'Joining',
    joiningHelp: {
      FREE: 'Anyone who has the code becomes a member at once.',
      APPROVAL: 'Anyone who has the code can ask, and a member with this right decides.',
      INVITE: 'New members come by invitation only. The code does not work.',
    },
    limit: 'Member limit',
  },
  zh: {
    ...common.zh,
    description: '简介',
    descriptionHelp: '能看到该组织的人都可以看到。',
    visibility: '可见范围',
    visibilityHelp: {
      PUBLIC: '任何人都可以找到该组织，并在浏览器中打开其主页。',
      INTERNAL: '仅成员可见，新成员凭邀请加入。',
    },
    joining: '加入方式',
    joiningHelp: {
      FREE: '有组织码的人可立即成为成员。',
      APPROVAL: '有组织码的人可以申请，由有权限的成员审批。',
      INVITE: '新成员仅凭邀请加入，组织码无效。',
    },
    limit: '成员上限',
  },
})

export interface OrgDraft {
  readonly name: string
  readonly description: string
  readonly visibility: OrganizationVisibility
  readonly joinPolicy: JoinPolicy
  /** As typed. */
  readonly memberLimit: string
  readonly avatarUrl: string | null
  /** Undefined: the picture stays. Null: it is removed. */
  readonly avatarFileId: number | null | undefined
}

export const draftOf = (org?: Pick<Organization, Exclude<keyof OrgDraft, 'avatarFileId'>>): OrgDraft => ({
  name: org?.name ?? '',
  description: org?.description ?? '',
  visibility: org?.visibility ?? 'PUBLIC',
  joinPolicy: org?.joinPolicy ?? 'APPROVAL',
  memberLimit: String(org?.memberLimit ?? 500),
  avatarUrl: org?.avatarUrl ?? null,
  avatarFileId: undefined,
})

/** The body of the request that creates or updates the organization. */
export const bodyOf = ({ name, description, visibility, joinPolicy, memberLimit, avatarFileId }: OrgDraft) => ({
  name: name.trim(),
  description: description.trim(),
  visibility,
  joinPolicy: visibility === 'INTERNAL' ? ('INVITE' as const) : joinPolicy,
  ...(memberLimit.trim() !== '' && { memberLimit: Number(memberLimit) }),
  ...(avatarFileId !== undefined && { avatarFileId }),
})

export interface OrgFieldsProps {
  value: OrgDraft
  onChange: (value: OrgDraft) => void
  error: ApiError | null
  /** The organization that owns the picture from its upload on; undefined while it does not exist, and for administrators. */
  orgId?: number
}

export function OrgFields({ value, onChange, error, orgId }: OrgFieldsProps) {
  const t = useTexts(words)
  const visibilities = useChoices('orgVisibility')
  const policies = useChoices('joinPolicy')
  const problem = (field: string) => error?.problem(field)
  const set = (change: Partial<OrgDraft>) => onChange({ ...value, ...change })
  const policy = value.visibility === 'INTERNAL' ? 'INVITE' : value.joinPolicy

  return (
    <Stack spacing={2.5}>
      <PictureField
        url={value.avatarUrl}
        name={value.name}
        look="organization"
        type="org"
        orgId={orgId}
        error={problem('avatarFileId') === undefined ? undefined : error}
        onChange={(avatarFileId, avatarUrl) => set({ avatarFileId, avatarUrl })}
      />
      <TextField
        required
        label={t.name}
        value={value.name}
        onChange={({ target }) => set({ name: target.value })}
        error={problem('name') !== undefined}
        helperText={problem('name')}
      />
      <TextField
        multiline
        minRows={2}
        label={t.description}
        value={value.description}
        onChange={({ target }) => set({ description: target.value })}
        error={problem('description') !== undefined}
        helperText={problem('description') ?? t.descriptionHelp}
      />
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
        <TextField
          select
          label={t.visibility}
          value={value.visibility}
          onChange={({ target }) => set({ visibility: target.value as OrganizationVisibility })}
          error={problem('visibility') !== undefined}
          helperText={problem('visibility') ?? t.visibilityHelp[value.visibility]}
        >
          {visibilities.map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          select
          label={t.joining}
          value={policy}
          disabled={value.visibility === 'INTERNAL'}
          onChange={({ target }) => set({ joinPolicy: target.value as JoinPolicy })}
          error={problem('joinPolicy') !== undefined}
          helperText={problem('joinPolicy') ?? t.joiningHelp[policy]}
        >
          {policies.map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          label={t.limit}
          value={value.memberLimit}
          onChange={({ target }) => set({ memberLimit: target.value.replaceAll(/\D/g, '') })}
          error={problem('memberLimit') !== undefined}
          helperText={problem('memberLimit')}
          slotProps={{ htmlInput: { inputMode: 'numeric' } }}
        />
      </Box>
    </Stack>
  )
}
