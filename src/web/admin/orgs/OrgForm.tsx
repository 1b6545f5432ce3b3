/** The forms of an organization: a new one for a user, and changes of an existing one. */

import { Alert } from '@mui/material'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { AdminOrganizationDetail } from '../../api/types.ts'
import { bodyOf, OrgFields, type OrgValues, valuesOf } from '../../areas/orgs/OrgFields.tsx'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { CheckField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { type Form as FormOf, useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    create: 'New organization',
    created: 'The organization is created.',
    edit: 'Edit organization',
    saved: 'The organization is changed.',
    ownerHelp: 'The user becomes the owner at once, without being asked.',
    status: 'Active',
    statusHelp: 'While an organization is disabled, its members can read and cannot change anything.',
  },
  zh: {
    create: '新建组织',
    created: '组织已创建。',
    edit: '编辑组织',
    saved: '组织已更新。',
    ownerHelp: '该用户立即成为所有者，无需对方同意。',
    status: '启用',
    statusHelp: '组织停用期间，成员只能查看，不能更改任何内容。',
  },
})

/** Opens the page of the organization when it is saved. */
function useSettings() {
  const navigate = useNavigate()
  return {
    refreshes: ['admin', 'operationLog', 'access'],
    onDone: ({ id }: { id: number }) => void navigate(`/admin/orgs/${id}/show`),
  }
}

export function OrgCreate() {
  const t = useTexts(words)
  const form = useForm('admin.orgs.create', () => ({ ...valuesOf(), ownerId: null as number | null }), {
    ...useSettings(),
    done: t.created,
    input: ({ ownerId, ...values }) => ({ body: { ...bodyOf(values), ownerId: ownerId! } }),
  })
  return (
    <OrgForm title={t.create} back="/admin/orgs" form={form}>
      <div>
        <UserPicker {...form.pick('ownerId')} />
        <Alert severity="info" sx={{ mt: 1 }}>
          {t.ownerHelp}
        </Alert>
      </div>
    </OrgForm>
  )
}

export function OrgEdit() {
  const orgId = Number(useParams().id)
  const query = useCall('admin.orgs.get', { params: { orgId } })
  return <PageAnswer query={query}>{(org) => <EditForm key={org.id} org={org} />}</PageAnswer>
}

function EditForm({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const form = useForm('admin.orgs.update', () => ({ ...valuesOf(org), isActive: org.status === 'ACTIVE' }), {
    ...useSettings(),
    done: t.saved,
    paths: { isActive: 'status' },
    input: ({ isActive, ...values }) => ({
      params: { orgId: org.id },
      body: { ...bodyOf(values), status: isActive ? ('ACTIVE' as const) : ('DISABLED' as const) },
    }),
  })
  return (
    <OrgForm title={t.edit} back={`/admin/orgs/${org.id}/show`} form={form}>
      <CheckField {...form.check('isActive', { label: t.status, help: t.statusHelp })} />
    </OrgForm>
  )
}

interface OrgFormProps {
  title: string
  back: string
  form: FormOf<OrgValues>
  /** Fields that only administrators have. */
  children: ReactNode
}

function OrgForm({ title, back, form, children }: OrgFormProps) {
  const t = useTexts(common)
  return (
    <Page title={title} back={back} width="form">
      <Section>
        <Form form={form} action={t.save} cancel={back}>
          <OrgFields form={form} />
          {children}
        </Form>
      </Section>
    </Page>
  )
}
