/** The forms of an organization: a new one for a user, and changes of an existing one. */

import { Alert, Button, FormControlLabel, FormHelperText, Stack, Switch } from '@mui/material'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import type { ApiError } from '../../api/errors.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { AdminOrganizationDetail } from '../../api/types.ts'
import { bodyOf, draftOf, type OrgDraft, OrgFields } from '../../areas/orgs/OrgFields.tsx'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { FormActions } from '../../ui/FormActions.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { UserPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    create: 'New organization',
    created: 'The organization is created.',
    edit: 'Edit organization',
    saved: 'The organization is changed.',
    save: 'Save',
    cancel: 'Cancel',
    owner: 'Owner',
    ownerHelp: 'The user becomes the owner at once, without being asked.',
    status: 'Active',
    statusHelp: 'While an organization is disabled, its members can read and cannot change anything.',
  },
  zh: {
    create: '新建组织',
    created: '组织已创建。',
    edit: '编辑组织',
    saved: '组织已更新。',
    save: '保存',
    cancel: '取消',
    owner: '所有者',
    ownerHelp: '该用户立即成为所有者，无需对方同意。',
    status: '启用',
    statusHelp: '组织停用期间，成员只能查看，不能更改任何内容。',
  },
})

/** Opens the page of the organization when it is saved. */
function useSettings() {
  const navigate = useNavigate()
  return {
    quiet: true,
    refreshes: ['admin', 'admin/orgs', 'operationLog', 'access'],
    onDone: ({ id }: { id: number }) => void navigate(`/admin/orgs/${id}/show`),
  }
}

export function OrgCreate() {
  const t = useTexts(words)
  const [draft, setDraft] = useState(() => draftOf())
  const [ownerId, setOwnerId] = useState<number | null>(null)
  const create = useAction('admin.orgs.create', { ...useSettings(), done: t.created })
  return (
    <Form
      title={t.create}
      back="/admin/orgs"
      draft={draft}
      onChange={setDraft}
      action={create}
      onSubmit={() => {
        if (ownerId !== null) create.mutate({ body: { ...bodyOf(draft), ownerId } })
      }}
    >
      <div>
        <UserPicker
          label={t.owner}
          value={ownerId}
          onChange={setOwnerId}
          required
          error={create.error?.problem('ownerId')}
        />
        <Alert severity="info" sx={{ mt: 1 }}>
          {t.ownerHelp}
        </Alert>
      </div>
    </Form>
  )
}

export function OrgEdit() {
  const orgId = Number(useParams().id)
  const query = useCall('admin.orgs.get', { params: { orgId } })
  return <Answer query={query}>{(org) => <EditForm key={org.id} org={org} />}</Answer>
}

function EditForm({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const [draft, setDraft] = useState(() => draftOf(org))
  const [isActive, setActive] = useState(org.status === 'ACTIVE')
  const update = useAction('admin.orgs.update', { ...useSettings(), done: t.saved })
  return (
    <Form
      title={t.edit}
      back={`/admin/orgs/${org.id}/show`}
      draft={draft}
      onChange={setDraft}
      action={update}
      onSubmit={() =>
        update.mutate({
          params: { orgId: org.id },
          body: { ...bodyOf(draft), status: isActive ? 'ACTIVE' : 'DISABLED' },
        })
      }
    >
      <div>
        <FormControlLabel
          control={<Switch checked={isActive} onChange={(_, checked) => setActive(checked)} />}
          label={t.status}
        />
        <FormHelperText>{t.statusHelp}</FormHelperText>
      </div>
    </Form>
  )
}

interface FormProps {
  title: string
  back: string
  draft: OrgDraft
  onChange: (draft: OrgDraft) => void
  action: { error: ApiError | null; isPending: boolean }
  onSubmit: () => void
  /** Fields that only administrators have. */
  children: ReactNode
}

function Form({ title, back, draft, onChange, action, onSubmit, children }: FormProps) {
  const t = useTexts(words)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Page title={title} back={back} width={640}>
      <Section>
        <Stack component="form" spacing={2.5} onSubmit={submit}>
          <OrgFields value={draft} onChange={onChange} error={action.error} />
          {children}
          {action.error !== null && <ErrorNotice error={action.error} />}
          <FormActions>
            <Button component={Link} to={back}>
              {t.cancel}
            </Button>
            <Button type="submit" variant="contained" loading={action.isPending}>
              {t.save}
            </Button>
          </FormActions>
        </Stack>
      </Section>
    </Page>
  )
}
