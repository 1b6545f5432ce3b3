/** The forms of an organization: a new one for a user, and changes of an existing one. */

import { Alert } from '@mui/material'
import {
  BooleanInput,
  Create,
  Edit,
  FormDataConsumer,
  maxLength,
  minValue,
  NumberInput,
  required,
  SaveButton,
  SimpleForm,
  TextInput,
  Toolbar,
  useInput,
  useRecordContext,
} from 'react-admin'

import { texts, useTexts } from '../../i18n/words.ts'
import { EnumInput } from '../../ui/enums.tsx'
import { Page } from '../../ui/Page.tsx'
import { UserPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    create: 'New organization',
    edit: 'Edit organization',
    owner: 'Owner',
    ownerHelp: 'The user becomes the owner at once, without being asked.',
    visibility: 'Visible',
    visibilityHelp: 'Internal: only members see it, and new members come by invitation.',
    joining: 'Joining',
    limit: 'Largest number of members',
    status: 'Active',
    statusHelp: 'While an organization is disabled, its members can read and cannot change anything.',
    avatar: 'Address of the picture',
    avatarHelp: 'Begins with http://, https:// or /. Leave it empty for no picture.',
  },
  zh: {
    create: '新建组织',
    edit: '编辑组织',
    owner: '所有者',
    ownerHelp: '该用户立即成为所有者，无需对方同意。',
    visibility: '可见性',
    visibilityHelp: '内部：仅成员可见，新成员凭邀请加入。',
    joining: '加入方式',
    limit: '成员上限',
    status: '启用',
    statusHelp: '组织停用期间，成员只能查看，不能更改任何内容。',
    avatar: '头像地址',
    avatarHelp: '以 http://、https:// 或 / 开头。留空表示没有头像。',
  },
})

const SaveOnly = () => (
  <Toolbar>
    <SaveButton />
  </Toolbar>
)

export function OrgCreate() {
  const t = useTexts(words)
  return (
    <Page title={t.create} back="/admin/orgs" width={640}>
      <Create redirect="show" title=" ">
        <SimpleForm toolbar={<SaveOnly />} defaultValues={{ visibility: 'PUBLIC', joinPolicy: 'APPROVAL' }}>
          <TextInput source="name" validate={[required(), maxLength(100)]} autoFocus fullWidth />
          <OwnerInput />
          <Shared />
        </SimpleForm>
      </Create>
    </Page>
  )
}

export function OrgEdit() {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} title=" " component="div">
      <EditForm />
    </Edit>
  )
}

function EditForm() {
  const t = useTexts(words)
  const record = useRecordContext()
  return (
    <Page title={t.edit} back={record === undefined ? '/admin/orgs' : `/admin/orgs/${record.id}/show`} width={640}>
      <SimpleForm toolbar={<SaveOnly />}>
        <TextInput source="name" validate={[required(), maxLength(100)]} autoFocus fullWidth />
        <Shared />
        <BooleanInput
          source="status"
          label={t.status}
          helperText={t.statusHelp}
          format={(status: string) => status === 'ACTIVE'}
          parse={(isActive: boolean) => (isActive ? 'ACTIVE' : 'DISABLED')}
        />
      </SimpleForm>
    </Page>
  )
}

function Shared() {
  const t = useTexts(words)
  return (
    <>
      <TextInput source="description" multiline minRows={2} fullWidth />
      <EnumInput
        source="visibility"
        of="orgVisibility"
        label={t.visibility}
        helperText={t.visibilityHelp}
        validate={required()}
        fullWidth
      />
      <FormDataConsumer<{ visibility?: string }>>
        {({ formData }) =>
          formData.visibility === 'INTERNAL' ? null : (
            <EnumInput source="joinPolicy" of="joinPolicy" label={t.joining} validate={required()} fullWidth />
          )
        }
      </FormDataConsumer>
      <NumberInput source="memberLimit" label={t.limit} validate={minValue(1)} fullWidth />
      <TextInput source="avatarUrl" label={t.avatar} helperText={t.avatarHelp} fullWidth />
    </>
  )
}

function OwnerInput() {
  const t = useTexts(words)
  const { field, fieldState } = useInput({ source: 'ownerId', validate: required() })
  return (
    <div style={{ width: '100%', marginBottom: 20 }}>
      <UserPicker
        label={t.owner}
        value={field.value === '' || field.value == null ? null : Number(field.value)}
        onChange={(id) => field.onChange(id)}
        required
        error={fieldState.error === undefined ? undefined : String(fieldState.error.message)}
      />
      <Alert severity="info" sx={{ mt: 1 }}>
        {t.ownerHelp}
      </Alert>
    </div>
  )
}
