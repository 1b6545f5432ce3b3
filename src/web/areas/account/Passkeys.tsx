/** The passkeys of the user: adding, naming and removing them, and whether every sign-in asks for one. */

import { Key, PasswordOutlined, PhoneAndroid, UsbOutlined } from '@mui/icons-material'
import { Alert, Button, List, ListItem, ListItemIcon, ListItemText, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { callWith } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { DataOf } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { canUsePasskeys, makePasskey, wasDismissed } from '../../session/passkeys.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { Codes } from './SecondFactor.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Passkeys',
    text: 'Sign in with your finger, face or PIN in place of a password. No other site can ask for a passkey, so it cannot be stolen by a false page.',
    add: 'Add a passkey',
    added: 'Passkey added.',
    rename: 'Rename',
    renameOf: (name: string) => `Rename ${name}`,
    renamed: 'Passkey renamed.',
    removeOf: (name: string) => `Remove ${name}`,
    removeText: 'It can no longer be used to sign in. Delete it on the device or in the password manager as well.',
    removed: 'Passkey removed.',
    kinds: {
      manager: 'In a password manager',
      key: 'Security key',
      device: 'Phone or computer',
      other: 'Passkey',
    },
    since: (day: string) => `added on ${day}`,
    used: (when: string) => `last used ${when}`,
    unused: 'not used yet',
    suspect: 'Somebody may have a copy of it, so it no longer opens the account. Remove it and add a new one.',
    require: 'Ask for a passkey at every sign-in',
    requireText:
      'Passkeys become your second factor: the password alone is then not enough. You get recovery codes if you have none, and your other sessions end.',
    required: 'Every sign-in asks for a passkey.',
    optional: 'No longer ask for a passkey',
    optionalText: 'From now on the password alone is enough to sign in, unless you have an authenticator app.',
    changed: 'Saved.',
    NEEDS_HTTPS: 'This server can have no passkeys, because it has no https. Ask its operator.',
    NEEDS_NAME: 'This server can have no passkeys, because it has no name but only an address. Ask its operator.',
    browser: 'This browser cannot make passkeys on this page.',
  },
  zh: {
    ...common.zh,
    title: '通行密钥',
    text: '用指纹、面容或 PIN 登录，无需密码。其他网站无法索取通行密钥，因此不会被仿冒页面窃取。',
    add: '添加通行密钥',
    added: '通行密钥已添加。',
    rename: '重命名',
    renameOf: (name: string) => `重命名${name}`,
    renamed: '通行密钥已重命名。',
    removeOf: (name: string) => `移除${name}`,
    removeText: '移除后不能再用于登录。请同时在设备或密码管理器中删除。',
    removed: '通行密钥已移除。',
    kinds: { manager: '密码管理器', key: '安全密钥', device: '手机或电脑', other: '通行密钥' },
    since: (day: string) => `${day}添加`,
    used: (when: string) => `${when}使用`,
    unused: '尚未使用',
    suspect: '可能已被复制，已停用。请移除并添加新的通行密钥。',
    require: '每次登录都要求通行密钥',
    requireText: '通行密钥将成为你的第二重验证，仅有密码无法登录。如果还没有恢复码，将生成恢复码；其他会话将结束。',
    required: '每次登录都要求使用通行密钥。',
    optional: '不再要求通行密钥',
    optionalText: '此后仅凭密码即可登录，除非你启用了身份验证器。',
    changed: '已保存。',
    NEEDS_HTTPS: '此服务器未使用 https，无法使用通行密钥，请联系运维人员。',
    NEEDS_NAME: '此服务器没有域名，只有 IP 地址，无法使用通行密钥，请联系运维人员。',
    browser: '此浏览器无法在本页面创建通行密钥。',
  },
})

type Passkey = DataOf<'passkeys.list'>['items'][number]

/** Where the passkey is kept, as far as it says. */
function kindOf({ backedUp, transports }: Passkey): 'manager' | 'key' | 'device' | 'other' {
  if (backedUp) return 'manager'
  if (transports.includes('internal')) return 'device'
  return transports.some((way) => ['usb', 'nfc', 'ble'].includes(way)) ? 'key' : 'other'
}
const ICONS = { manager: PasswordOutlined, key: UsbOutlined, device: PhoneAndroid, other: Key }

export function Passkeys() {
  const t = useTexts(words)
  const query = useCall('passkeys.list')
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Section title={t.title} text={t.text}>
      <Answer query={query}>
        {({ items, required, reason }) => (
          <Stack spacing={1.5} sx={{ alignItems: 'flex-start' }}>
            {reason !== null && <Alert severity="info">{t[reason]}</Alert>}
            {items.length > 0 && (
              <List disablePadding sx={{ alignSelf: 'stretch' }} aria-label={t.title}>
                {items.map((passkey) => (
                  <Entry key={passkey.id} passkey={passkey} />
                ))}
              </List>
            )}
            {reason === null && <Add />}
            {(required || items.some(({ suspect }) => !suspect)) && (
              <Requirement required={required} onCodes={setCodes} />
            )}
          </Stack>
        )}
      </Answer>
      {codes && <Codes codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}

function Add() {
  const t = useTexts(words)
  const [isDismissed, setDismissed] = useState(false)
  const add = useAction('passkeys.create', {
    done: t.added,
    quiet: true,
    async send(_, id) {
      const body = await makePasskey()
      return (await callWith(id, { body }, {})) as Passkey
    },
  })
  if (!canUsePasskeys()) return <Alert severity="info">{t.browser}</Alert>
  const start = () => {
    setDismissed(false)
    add.mutate(undefined, { onError: (error: Error) => setDismissed(wasDismissed(error)) })
  }
  return (
    <>
      <Button variant="outlined" startIcon={<Key />} loading={add.isPending} onClick={start}>
        {t.add}
      </Button>
      {add.error !== null && !isDismissed && <Alert severity="error">{add.error.message}</Alert>}
    </>
  )
}

function Entry({ passkey }: { passkey: Passkey }) {
  const t = useTexts(words)
  const { id, name, createdAt, lastUsedAt, suspect } = passkey
  const kind = kindOf(passkey)
  const Icon = ICONS[kind]
  const details = [
    t.kinds[kind],
    t.since(date(createdAt)),
    lastUsedAt === null ? t.unused : t.used(relativeTime(lastUsedAt)),
  ]
  return (
    <ListItem
      divider
      disableGutters
      sx={{ gap: 1, flexWrap: { xs: 'wrap', sm: 'nowrap' }, justifyContent: 'flex-end' }}
    >
      <ListItemIcon sx={{ minWidth: 40 }}>
        <Icon />
      </ListItemIcon>
      <ListItemText
        primary={name}
        // Beside the icon; the buttons move below on phones.
        sx={{ flexBasis: 'calc(100% - 48px)' }}
        secondary={suspect ? t.suspect : details.join(' · ')}
        slotProps={{
          primary: { sx: { overflowWrap: 'anywhere' } },
          secondary: { sx: { ...(suspect && { color: 'error.main' }) } },
        }}
      />
      {!suspect && (
        <DialogButton variant="text" label={t.rename} aria-label={t.renameOf(name)}>
          {(close) => <Rename passkey={passkey} onClose={close} />}
        </DialogButton>
      )}
      <ActionButton
        operation="passkeys.delete"
        input={{ params: { id } }}
        label={t.remove}
        name={t.removeOf(name)}
        title={t.removeOf(name)}
        text={t.removeText}
        done={t.removed}
        refreshes={['passkeys', 'devices']}
      />
    </ListItem>
  )
}

function Rename({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'passkeys.update',
    { name },
    { input: (body) => ({ params: { id }, body }), done: t.renamed, onDone: onClose },
  )
  return (
    <FormDialog form={form} title={t.renameOf(name)} action={t.save} onClose={onClose} maxWidth="xs">
      <TextField {...form.text('name')} autoFocus />
    </FormDialog>
  )
}

function Requirement({ required, onCodes }: { required: boolean; onCodes: (codes: readonly string[]) => void }) {
  const t = useTexts(words)
  const label = required ? t.optional : t.require
  return (
    <Stack direction="row" spacing={2} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
      {required && <Status tone="good" text={t.required} />}
      <ActionButton
        key={label}
        operation="passkeys.require"
        input={{ body: { required: !required } }}
        label={label}
        title={label}
        text={required ? t.optionalText : t.requireText}
        done={t.changed}
        color={required ? 'error' : 'primary'}
        variant={required ? 'text' : 'outlined'}
        refreshes={['passkeys', 'auth', 'sessions', 'devices']}
        onDone={({ recoveryCodes }) => recoveryCodes && onCodes(recoveryCodes)}
      />
    </Stack>
  )
}
