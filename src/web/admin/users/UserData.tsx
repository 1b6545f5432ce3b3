/** The data of a user for administrators: an export of a part of it, and the deletion of the account. */

import { Delete } from '@mui/icons-material'
import { Alert, Stack, TextField, Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { UserAdmin } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { DataExportState, EXPORT_POLLING } from '../../ui/DataExport.tsx'
import { DeleteContent } from '../../ui/DeleteContent.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { nameOf } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    export: 'Export of the data',
    exportText:
      'Profile, ways to sign in, organizations, sessions, login records, agreements, names and numbers of content. The export contains no messages, files, scan records or contacts. Users export those themselves, if necessary after a password reset. The user is notified.',
    start: 'Export the data',
    startTitle: 'Export the data of this user?',
    startText: 'The user is notified, and the operation log names you.',
    started: 'The export has begun.',
    delete: 'Delete the account',
    deleteText: 'The account is deleted as if the user had done it. This cannot be undone.',
    disableFirst: 'Disable the user first.',
    reason: 'Reason, for the operation log',
    deleted: 'The account is deleted.',
  },
  zh: {
    export: '数据导出',
    exportText:
      '包含资料、登录方式、组织、会话、登录记录、协议以及内容的名称和数量，不含消息、文件、扫码记录和联系人：如需这些内容，请由用户本人导出，必要时先重置密码。用户会收到通知。',
    start: '导出数据',
    startTitle: '导出此用户的数据？',
    startText: '用户会收到通知，操作日志会记录你的操作。',
    started: '已开始导出。',
    delete: '删除账号',
    deleteText: '效果与用户自行注销账号相同，无法撤销。',
    disableFirst: '请先停用该用户。',
    reason: '原因（记入操作日志）',
    deleted: '账号已删除。',
  },
})

export function UserData({ user }: { user: UserAdmin }) {
  const may = useMay()
  const { user: me } = useSession()
  return (
    <>
      {may('ownData.startOfUser') && <Export user={user} />}
      {may('admin.users.delete') && user.id !== me.id && <End user={user} />}
    </>
  )
}

function Export({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const params = { userId: user.id }
  const latest = useCall('ownData.latestOfUser', { params }, EXPORT_POLLING)
  return (
    <Section title={t.export} text={t.exportText}>
      <Answer query={latest}>
        {(job) => (
          <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
            {job !== null && <DataExportState job={job} />}
            {job?.status !== 'RUNNING' && (
              <ActionButton
                operation="ownData.startOfUser"
                input={{ params, body: {} }}
                label={t.start}
                title={t.startTitle}
                text={t.startText}
                done={t.started}
                refreshes={['ownData', 'operationLog']}
                color="primary"
                variant="outlined"
              />
            )}
          </Stack>
        )}
      </Answer>
    </Section>
  )
}

function End({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  return (
    <Section title={t.delete} text={t.deleteText}>
      {user.status === 'DISABLED' ? (
        <DialogButton label={t.delete} icon={<Delete />} color="error" variant="outlined">
          {(close) => <DeleteUser user={user} onClose={close} />}
        </DialogButton>
      ) : (
        <Alert severity="info">{t.disableFirst}</Alert>
      )}
    </Section>
  )
}

function DeleteUser({ user, onClose }: { user: UserAdmin; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'admin.users.delete',
    { deletes: false, reason: '' },
    {
      done: t.deleted,
      refreshes: ['admin', 'operationLog', 'sync'],
      input: ({ deletes, reason }) => ({
        params: { userId: user.id },
        body: { content: deletes ? ('DELETE' as const) : ('KEEP' as const), reason: reason.trim() },
      }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.delete} action={t.delete} color="error" maxWidth="xs" onClose={onClose}>
      <Typography sx={{ fontWeight: 650 }}>{nameOf(user)}</Typography>
      <Typography color="text.secondary">{t.deleteText}</Typography>
      <DeleteContent value={form.values.deletes} onChange={(deletes) => form.set({ deletes })} />
      <TextField {...form.text('reason', { label: t.reason })} required />
    </FormDialog>
  )
}
