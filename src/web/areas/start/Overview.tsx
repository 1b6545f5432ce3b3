/** Things that are due today, first steps of a newcomer, and the newest codes of the workspace. */

import { CheckCircle, Close, InfoOutlined, MailOutlined, RadioButtonUnchecked } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  IconButton,
  List,
  ListItem,
  ListItemAvatar,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  Skeleton,
  Stack,
  Typography,
} from '@mui/material'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { isInstalled, useInstall } from '../../browser/install.ts'
import { storage } from '../../browser/storage.ts'
import { stored } from '../../browser/stored.ts'
import { relativeTime } from '../../i18n/format.ts'
import { mailWords } from '../../i18n/mail-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { useAddressText } from '../../ui/AddressWarning.tsx'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { Due } from './Due.tsx'

const words = texts({
  en: {
    first: 'First steps',
    hide: 'Hide the first steps',
    code: 'Create a code',
    codeText: 'For a link, your Wi-Fi, a contact or any text.',
    people: 'Invite people',
    peopleText: 'Create an organization, and share codes, assets and activities in it.',
    install: 'Install on this phone or computer',
    installText:
      'The application then opens in a window of its own. Without a button here, use “Add to home screen” in the menu of the browser.',
    installAction: 'Install',
    done: 'Done',
    codes: 'Newest codes',
    all: 'All',
    gotIt: 'Got it',
    hints: (n: number) => (n === 1 ? '1 hint about this server' : `${n} hints about this server`),
  },
  zh: {
    first: '新手入门',
    hide: '隐藏新手入门',
    code: '新建二维码',
    codeText: '可用于网址、Wi-Fi、名片或任意文字。',
    people: '邀请成员',
    peopleText: '创建组织，与成员共享二维码、资产和活动。',
    install: '安装到此手机或电脑',
    installText: '安装后可像应用一样打开。如果这里没有按钮，请使用浏览器菜单中的“添加到主屏幕”。',
    installAction: '安装',
    done: '已完成',
    codes: '最新二维码',
    all: '全部',
    gotIt: '知道了',
    hints: (n: number) => `${n} 条服务器提示`,
  },
})

const ROWS = 5
/** Pixels of a row. */
const ROW_HEIGHT = 72

/** With `children` below it. Each part is drawn in its shape before it is loaded, and stays if another one fails. */
export default function Overview({ children }: { children: ReactNode }) {
  const may = useMay()
  return (
    <Stack spacing={2}>
      {may('actuator.info') && <ServerHints isRead={false} />}
      <Due />
      <FirstSteps />
      {may('qrCodes.list') && <NewestCodes />}
      {children}
      {may('actuator.info') && <ServerHints isRead />}
    </Stack>
  )
}

/** The hints that an administrator has read, by name. Another one is shown in full again. */
const readHints = stored<readonly string[]>('tessera.readHints', [])

/** Parts of the configuration that a new server lacks. Those that were read are one line at the bottom of the page. */
function ServerHints({ isRead }: { isRead: boolean }) {
  const t = useTexts(words)
  const { without } = useTexts(mailWords)
  const read = readHints.use()
  const [isOpen, setOpen] = useState(false)
  const { data } = useCall('actuator.info')
  const address = useAddressText()
  const hints = [
    ...(data?.hasLocalAddress && address !== undefined ? (['address'] as const) : []),
    ...(data?.sendsMail === false ? (['mail'] as const) : []),
  ].filter((name) => read.includes(name) === isRead)
  if (hints.length === 0) return null
  return (
    <>
      {isRead && (
        <Box>
          <Button color="inherit" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} startIcon={<InfoOutlined />}>
            {t.hints(hints.length)}
          </Button>
        </Box>
      )}
      {(!isRead || isOpen) &&
        hints.map((name) => (
          <Alert
            key={name}
            severity="warning"
            {...(name === 'mail' && { icon: <MailOutlined /> })}
            {...(!isRead && {
              action: (
                <Button color="inherit" size="small" onClick={() => readHints.set([...read, name])}>
                  {t.gotIt}
                </Button>
              ),
            })}
          >
            {name === 'mail' ? without : address}
          </Alert>
        ))}
    </>
  )
}

const HIDDEN = 'tessera.firstStepsHidden'

function FirstSteps() {
  const t = useTexts(words)
  const may = useMay()
  const { orgs } = useSession()
  const install = useInstall()
  const [isHidden, setHidden] = useState(() => storage.getItem(HIDDEN) !== null)
  const codes = useNewestCodes()
  if (isHidden) return null
  const steps = [
    {
      name: 'code',
      isDone: (codes.data?.total ?? 0) > 0,
      isShown: may('qrCodes.create'),
      action: (
        <Button variant="contained" component={Link} to="/codes/new">
          {t.code}
        </Button>
      ),
    },
    {
      name: 'people',
      isDone: orgs.length > 0,
      isShown: may('orgs.create'),
      action: (
        <Button variant="outlined" component={Link} to="/orgs">
          {t.people}
        </Button>
      ),
    },
    {
      name: 'install',
      isDone: isInstalled(),
      isShown: true,
      action: install && (
        <Button variant="outlined" onClick={install}>
          {t.installAction}
        </Button>
      ),
    },
  ] as const
  const shown = steps.filter((step) => step.isShown)
  if (shown.every(({ isDone }) => isDone)) return null
  const hide = () => {
    storage.setItem(HIDDEN, '1')
    setHidden(true)
  }
  return (
    <Card component="section">
      <CardContent sx={{ '&:last-child': { pb: 1 } }}>
        <Stack direction="row" sx={{ alignItems: 'center' }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {t.first}
          </Typography>
          <IconButton aria-label={t.hide} onClick={hide}>
            <Close />
          </IconButton>
        </Stack>
        <List disablePadding>
          {shown.map(({ name, isDone, action }) => (
            <ListItem key={name} disableGutters sx={{ flexWrap: 'wrap', gap: 1 }}>
              <ListItemIcon sx={{ minWidth: 40 }}>
                {isDone ? (
                  <CheckCircle color="success" titleAccess={t.done} />
                ) : (
                  <RadioButtonUnchecked color="disabled" />
                )}
              </ListItemIcon>
              <ListItemText primary={t[name]} secondary={t[`${name}Text`]} sx={{ flex: '1 1 200px' }} />
              {!isDone && action}
            </ListItem>
          ))}
        </List>
      </CardContent>
    </Card>
  )
}

const useNewestCodes = () => {
  const may = useMay()
  return useCall(
    'qrCodes.list',
    { query: { size: ROWS, sort: '-createdAt', ...ownerQuery() } },
    { enabled: may('qrCodes.list') },
  )
}

/** Rows of the last visit: so many are drawn until there is an answer, so that nothing below them moves. */
const rowsBefore = stored('tessera.newestRows', 0)

/** Not drawn without codes. */
function NewestCodes() {
  const t = useTexts(words)
  const { data, error, refetch } = useNewestCodes()
  const count = data?.items.length
  useEffect(() => {
    if (count !== undefined) rowsBefore.set(count)
  }, [count])
  const [before] = useState(rowsBefore.get)
  if ((count ?? before) === 0 && error === null) return null
  return (
    <Card component="section" aria-busy={count === undefined && error === null}>
      <Stack direction="row" sx={{ alignItems: 'center', px: 2, pt: 1 }}>
        <Typography variant="h2" sx={{ flex: 1 }}>
          {t.codes}
        </Typography>
        <Button component={Link} to="/codes" aria-label={`${t.all}: ${t.codes}`}>
          {t.all}
        </Button>
      </Stack>
      {error !== null && data === undefined ? (
        <Box sx={{ px: 2 }}>
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </Box>
      ) : (
        <List disablePadding sx={{ pb: 1 }}>
          {data === undefined
            ? Array.from({ length: before }, (_, i) => (
                // oxlint-disable-next-line react/no-array-index-key -- they are all the same
                <ListItem key={i} aria-hidden sx={{ height: ROW_HEIGHT }}>
                  <Skeleton variant="rounded" width={40} height={40} sx={{ mr: 2 }} />
                  <Skeleton width="40%" />
                </ListItem>
              ))
            : data.items.map((code) => <CodeRow key={code.id} code={code} />)}
        </List>
      )}
    </Card>
  )
}

const CodeRow = ({ code: { id, name, content, imageUrl, createdAt } }: { code: QrCode }) => (
  <ListItem disablePadding sx={{ height: ROW_HEIGHT }}>
    <ListItemButton component={Link} to={`/codes/${id}`}>
      <ListItemAvatar>
        <Box
          component="img"
          src={imageUrl}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          sx={{ display: 'block', bgcolor: 'common.white', borderRadius: 0.5 }}
        />
      </ListItemAvatar>
      <ListItemText
        primary={name || content}
        secondary={relativeTime(createdAt)}
        slotProps={{ primary: { noWrap: true }, secondary: { noWrap: true } }}
      />
    </ListItemButton>
  </ListItem>
)
