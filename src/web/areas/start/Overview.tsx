/** First steps of a newcomer, and the newest codes, activities of today and unread messages of the workspace. */

import { CheckCircle, Close, MailOutlined, RadioButtonUnchecked } from '@mui/icons-material'
import {
  Alert,
  Avatar,
  Badge,
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
  Stack,
  Typography,
} from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { isInstalled, useInstall } from '../../browser/install.ts'
import { storage } from '../../browser/storage.ts'
import { clockTime, date, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useUnread } from '../../session/live.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'

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
      'Tessera then opens like an app. Without a button here, use “Add to home screen” in the menu of the browser.',
    installAction: 'Install',
    done: 'Done',
    address:
      'Other devices cannot open this server yet: its links and codes lead to this machine. Set TESSERA_HOST and TESSERA_PUBLIC_URL and start the server again before you print codes.',
    mail: 'No mail server is configured: codes, invitations and notices by e-mail go to the log of the server. Set TESSERA_SMTP_URL and start the server again.',
    codes: 'Newest codes',
    all: 'All',
    today: 'Activities of today',
    unread: 'Unread messages',
    during: (from: string, to: string) => `${from} to ${to}`,
    from: (time: string) => `From ${time}`,
    until: (time: string) => `Until ${time}`,
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
    address:
      '其他设备还无法打开此服务器：链接和二维码都指向本机。打印二维码之前，请设置 TESSERA_HOST 和 TESSERA_PUBLIC_URL 并重启服务器。',
    mail: '未配置邮件服务器：验证码、邀请和通知邮件只会写入服务器日志。请设置 TESSERA_SMTP_URL 并重启服务器。',
    codes: '最新二维码',
    all: '全部',
    today: '今天的活动',
    unread: '未读消息',
    during: (from: string, to: string) => `${from} 至 ${to}`,
    from: (time: string) => `${time} 开始`,
    until: (time: string) => `至 ${time}`,
  },
})

const ROWS = 5

/** With `children` below it. All of it appears at once, so that nothing moves when a part has loaded. */
export default function Overview({ children }: { children: ReactNode }) {
  const may = useMay()
  const client = useQueryClient()
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const check = () => {
      if (client.isFetching() === 0) setSettled(true)
    }
    // If everything is in the cache, nothing is called.
    const timer = setTimeout(check, 0)
    const stop = client.getQueryCache().subscribe(check)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [client])
  return (
    <Stack spacing={2} sx={{ visibility: isSettled ? 'visible' : 'hidden' }}>
      {may('actuator.info') && <ServerHints />}
      <FirstSteps />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(min(280px, 100%), 1fr))' }}>
        {may('conversations.list') && <Unread />}
        {may('activities.list') && <Today />}
        {may('qrCodes.list') && <NewestCodes />}
      </Box>
      {children}
    </Stack>
  )
}

/** Parts of the configuration that a new server lacks. */
function ServerHints() {
  const t = useTexts(words)
  const { data } = useCall('actuator.info')
  return (
    <>
      {data?.hasLocalAddress && <Alert severity="warning">{t.address}</Alert>}
      {data?.sendsMail === false && (
        <Alert severity="warning" icon={<MailOutlined />}>
          {t.mail}
        </Alert>
      )}
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
  const codes = useCall('qrCodes.list', { query: { size: 1, ...ownerQuery() } }, { enabled: may('qrCodes.list') })
  if (isHidden || codes.data === undefined) return null
  const steps = [
    {
      name: 'code',
      isDone: codes.data.total > 0,
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

/** A card with a few rows and a link to all of them. Not drawn without rows. */
function Newest({ title, to, children }: { title: string; to: string; children: readonly ReactNode[] | undefined }) {
  const t = useTexts(words)
  if (children === undefined || children.length === 0) return null
  return (
    <Card component="section">
      <Stack direction="row" sx={{ alignItems: 'center', px: 2, pt: 1 }}>
        <Typography variant="h2" sx={{ flex: 1 }}>
          {title}
        </Typography>
        <Button component={Link} to={to} aria-label={`${t.all}: ${title}`}>
          {t.all}
        </Button>
      </Stack>
      <List disablePadding sx={{ pb: 1 }}>
        {children}
      </List>
    </Card>
  )
}

interface RowProps {
  to: string
  picture: ReactNode
  title: string
  detail: string
}

const Row = ({ to, picture, title, detail }: RowProps) => (
  <ListItem disablePadding>
    <ListItemButton component={Link} to={to}>
      {picture}
      <ListItemText
        primary={title}
        secondary={detail}
        slotProps={{ primary: { noWrap: true }, secondary: { noWrap: true } }}
      />
    </ListItemButton>
  </ListItem>
)

function NewestCodes() {
  const t = useTexts(words)
  const { data } = useCall('qrCodes.list', { query: { size: ROWS, sort: '-createdAt', ...ownerQuery() } })
  return (
    <Newest title={t.codes} to="/codes">
      {data?.items.map(({ id, name, content, imageUrl, updatedAt }) => (
        <Row
          key={id}
          to={`/codes/${id}`}
          title={name || content}
          detail={relativeTime(updatedAt)}
          picture={
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
          }
        />
      ))}
    </Newest>
  )
}

/** Activities of the workspace, and those for which the user has registered. */
function Today() {
  const t = useTexts(words)
  const [day] = useState(() => ({
    from: new Date().setHours(0, 0, 0, 0),
    to: new Date().setHours(23, 59, 59, 999),
  }))
  const query = { size: ROWS, status: 'ACTIVE', sort: 'startTime', ...day } as const
  const { data: own } = useCall('activities.list', { query: { ...query, ...ownerQuery() } })
  const { data: registered } = useCall('activities.list', { query: { ...query, registered: true } })
  const all = [...(own?.items ?? []), ...(registered?.items ?? [])]
  const shown = [...new Map(all.map((activity) => [activity.id, activity])).values()]
    .toSorted((a, b) => a.startTime - b.startTime)
    .slice(0, ROWS)
  /** Clock times, or the last day of an activity that goes on for days. */
  const timesOf = (start: number, end: number): string => {
    if (end > day.to) return start < day.from ? t.until(date(end)) : t.from(clockTime(start))
    return start < day.from ? t.until(clockTime(end)) : t.during(clockTime(start), clockTime(end))
  }
  return (
    <Newest title={t.today} to="/activities">
      {shown.map(({ id, name, startTime, endTime }) => (
        <Row key={id} to={`/activities/${id}`} title={name} detail={timesOf(startTime, endTime)} picture={null} />
      ))}
    </Newest>
  )
}

function Unread() {
  const t = useTexts(words)
  const { messages } = useUnread()
  const { data } = useCall('conversations.list', { query: { unread: true, size: ROWS } }, { enabled: messages > 0 })
  if (messages === 0) return null
  return (
    <Newest title={t.unread} to="/chats">
      {data?.items.map(({ id, title, avatarUrl, unreadCount, lastMessage }) => (
        <Row
          key={id}
          to={`/chats/${id}`}
          title={title}
          detail={lastMessage === null ? '' : relativeTime(lastMessage.createdAt)}
          picture={
            <ListItemAvatar>
              <Badge badgeContent={unreadCount} color="error" max={99} overlap="circular">
                <Avatar src={avatarUrl ?? ''} alt="">
                  {title.slice(0, 1)}
                </Avatar>
              </Badge>
            </ListItemAvatar>
          }
        />
      ))}
    </Newest>
  )
}
