/** A code: its picture, content, public page and scans. */

import { Add, Edit, Fullscreen, Group, OpenInNew, Print, SearchOff, Share, SwapHoriz } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Chip,
  FormControlLabel,
  Link as MuiLink,
  Stack,
  Switch,
  Typography,
} from '@mui/material'
import { Link, useLocation, useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { useMay, useOwner, useOwnerQuery, useRowQuery, useSession } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { ContentView } from '../../ui/ContentView.tsx'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FinderCard } from '../../ui/FinderCard.tsx'
import { LabelsOf } from '../../ui/LabelsOf.tsx'
import { Owned, useOwnedPath } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { CodeMenu } from './CodeMenu.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { CodeScans } from './CodeScans.tsx'
import { ChangeTarget } from './dialogs.tsx'
import { DownloadButton } from './DownloadButton.tsx'
import { useFolders } from './folders.ts'
import { pictureUrl } from './look/designs.ts'
import { ShareDialog } from './ShareDialog.tsx'
import { ShortLink } from './ShortLink.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Code',
    another: 'Create another',
    full: 'Full screen',
    page: 'Public page',
    isPublic: 'Everyone with the link sees this code',
    isPrivate: 'Only you and people who may see your codes see this code.',
    openPage: 'Open page',
    copyLink: 'Copy link',
    sendLink: 'Send link',
    share: 'Share a copy with an organization',
    dynamicPrivate: 'Printed copies of this code lead nowhere until the page is public.',
    cardPrivate: 'Finders see it as soon as the page is public.',
    cardSkipped: 'This code opens its link at once, so finders do not see its page.',
    created: 'Created',
    changed: 'Changed',
    missing: 'This code is not here',
    missingText: 'The code was deleted, or it belongs to somebody else. Deleted codes are in the trash for 30 days.',
  },
  zh: {
    ...common.zh,
    title: '二维码',
    another: '再建一个',
    full: '全屏显示',
    page: '公开页面',
    isPublic: '任何有链接的人都能看到此二维码',
    isPrivate: '只有你和有权查看的人能看到此二维码。',
    openPage: '打开页面',
    copyLink: '复制链接',
    sendLink: '发送链接',
    share: '复制给组织',
    dynamicPrivate: '公开之前，已印刷的此二维码无法打开。',
    cardPrivate: '公开页面开放后，捡到的人才能看到。',
    cardSkipped: '此二维码会直接打开链接，捡到的人看不到其页面。',
    created: '创建时间',
    changed: '修改时间',
    missing: '此处没有这个二维码',
    missingText: '它可能已被删除，或属于他人。已删除的二维码会在回收站保留 30 天。',
  },
})

export default function CodeDetail() {
  const t = useTexts(words)
  const id = Number(useParams()['id'])
  const query = useCall('qrCodes.get', { params: { id }, query: useRowQuery('qrCodes.get') })
  const code = query.data
  useRecent('code', code?.name)
  if (code !== undefined && query.error?.status !== 404)
    return (
      <Owned orgId={code.orgId}>
        <Page title={code.name} back="/codes" actions={<Actions code={code} />}>
          <Detail code={code} />
        </Page>
      </Owned>
    )
  return (
    <Page title={t.title} back="/codes">
      {query.error?.status === 404 ? (
        <EmptyState icon={SearchOff} title={t.missing} text={t.missingText} />
      ) : (
        <Answer query={query}>{() => null}</Answer>
      )}
    </Page>
  )
}

function Actions({ code }: { code: QrCode }) {
  const may = useMay()
  const shared = useTexts(codeWords)
  const t = useTexts(words)
  const navigate = useNavigate()
  /** Set by the form that has just made the code: the address of the form for the next one. */
  const { another } = (useLocation().state ?? {}) as { another?: string }
  return (
    <>
      {another !== undefined && (
        <Button variant="contained" startIcon={<Add />} component={Link} to={another} data-create>
          {t.another}
        </Button>
      )}
      {may('qrCodes.update') && (
        <Button variant="outlined" startIcon={<Edit />} component={Link} to={`/codes/${code.id}/edit`}>
          {shared.edit}
        </Button>
      )}
      <CodeMenu code={code} isDetail onTrashed={() => void navigate('/codes', { replace: true })} />
    </>
  )
}

function Detail({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const typeName = useEnum('contentType')
  const folders = useFolders()
  const folder = flatten(folders.data ?? []).find(({ node }) => node.id === code.categoryId)
  const facts: (readonly [string, string])[] = [
    [shared.folder, folder?.path ?? ''],
    [shared.remark, code.remark],
    [t.created, dateTime(code.createdAt)],
    [t.changed, dateTime(code.updatedAt)],
  ]
  return (
    <Box
      sx={{
        display: 'grid',
        gap: { xs: 2, md: 3 },
        gridTemplateColumns: { md: '340px minmax(0, 1fr)' },
        alignItems: 'start',
      }}
    >
      <Picture code={code} />
      <Stack spacing={2} sx={{ minWidth: 0 }}>
        <Card>
          <CardContent component={Stack} spacing={1.5}>
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
              <Typography variant="h2" sx={{ mr: 1 }}>
                {typeName(code.contentType)}
              </Typography>
              {code.isDynamic && <Chip size="small" variant="outlined" label={shared.dynamic} />}
              {code.pinned && <Chip size="small" variant="outlined" label={shared.pinned} />}
            </Stack>
            <ContentView content={code.content} isMain>
              {may('qrCodes.update') && (
                <DialogButton label={shared.changeTarget} icon={<SwapHoriz />} variant="outlined">
                  {(close) => <ChangeTarget code={code} onClose={close} />}
                </DialogButton>
              )}
            </ContentView>
          </CardContent>
        </Card>
        <ShortLink code={code} />
        <PublicPage code={code} />
        <LabelsOf kind="QR_CODE" id={code.id} />
        <FinderCard kind="QR_CODE" id={code.id}>
          {!code.isPublic && (
            <Alert severity="warning" sx={{ mt: 1.5 }}>
              {t.cardPrivate}
            </Alert>
          )}
          {code.opens === 'TARGET' && (
            <Alert severity="warning" sx={{ mt: 1.5 }}>
              {t.cardSkipped}
            </Alert>
          )}
        </FinderCard>
        <CodeScans code={code} />
        <Card>
          <CardContent component={Stack} spacing={1}>
            <Typography variant="h2">{t.details}</Typography>
            {code.tags.length > 0 && (
              <Stack direction="row" spacing={0.75} useFlexGap sx={{ flexWrap: 'wrap' }}>
                {code.tags.map((tag) => (
                  <Chip
                    key={tag}
                    label={`#${tag}`}
                    component={Link}
                    to={`/codes?keyword=${encodeURIComponent(tag)}`}
                    clickable
                  />
                ))}
              </Stack>
            )}
            <Box
              component="dl"
              sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto minmax(0, 1fr)', gap: 1, columnGap: 3 }}
            >
              {facts
                .filter(([, value]) => value !== '')
                .map(([label, value]) => (
                  <Box key={label} sx={{ display: 'contents' }}>
                    <Typography component="dt" color="text.secondary">
                      {label}
                    </Typography>
                    <Typography component="dd" sx={{ m: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
                      {value}
                    </Typography>
                  </Box>
                ))}
            </Box>
          </CardContent>
        </Card>
      </Stack>
    </Box>
  )
}

/** The picture, why it could be useless on paper, and all that is done with it. */
function Picture({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const ownedPath = useOwnedPath()
  return (
    <Card>
      <CardContent component={Stack} spacing={2} sx={{ alignItems: 'center' }}>
        <QrPicture
          content={contentOfPicture(code)}
          style={code.style}
          url={pictureUrl(code)}
          alt={shared.picture(code.name)}
          width="100%"
          // On a phone, the target below it is seen without scrolling.
          sx={{ maxWidth: { xs: 220, md: 320 }, borderRadius: 1 }}
        />
        {code.isDynamic && (
          <>
            {!code.isPublic && (
              <Alert severity="warning" sx={{ alignSelf: 'stretch' }}>
                {t.dynamicPrivate}
              </Alert>
            )}
            <AddressWarning sx={{ alignSelf: 'stretch' }} />
          </>
        )}
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', justifyContent: 'center' }}>
          <DownloadButton code={code} />
          <DialogButton label={t.full} icon={<Fullscreen />} variant="text">
            {(close) => (
              <CodeScreen
                content={contentOfPicture(code)}
                style={code.style}
                url={pictureUrl(code)}
                alt={shared.picture(code.name)}
                title={code.name}
                onClose={close}
              />
            )}
          </DialogButton>
          <Button startIcon={<Print />} component={Link} to={ownedPath(`/codes/print?ids=${code.id}`)}>
            {shared.print}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}

function PublicPage({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const owned = useOwnerQuery()
  const owner = useOwner()
  const { orgs } = useSession()
  const copy = useCopy()
  const publish = useAction('qrCodes.publish', { done: code.isPublic ? shared.withdrawn : shared.published })
  const targets = owner === null ? orgs.filter((org) => may('shares.create', org)) : []
  // Without the parameter, the address of a code that opens its target leads there.
  const page = code.opens === 'TARGET' ? `${code.publicUrl}?page` : code.publicUrl
  const send = () => void navigator.share({ title: code.name, url: page }).catch(() => undefined)
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        <Typography variant="h2">{t.page}</Typography>
        {may('qrCodes.publish') ? (
          <FormControlLabel
            control={
              <Switch
                checked={code.isPublic}
                disabled={publish.isPending}
                onChange={({ target }) =>
                  publish.mutate({ params: { id: code.id }, query: owned, body: { isPublic: target.checked } })
                }
              />
            }
            label={code.isPublic ? t.isPublic : shared.publish}
          />
        ) : (
          <Typography>{code.isPublic ? t.isPublic : shared.private}</Typography>
        )}
        {!code.isPublic && (
          <Typography variant="body2" color="text.secondary">
            {t.isPrivate}
          </Typography>
        )}
        {code.isPublic && (
          <>
            {!code.isDynamic && <AddressWarning />}
            <MuiLink href={page} target="_blank" rel="noopener" sx={{ overflowWrap: 'anywhere' }}>
              {page}
            </MuiLink>
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
              <Button startIcon={<OpenInNew />} href={page} target="_blank" rel="noopener">
                {t.openPage}
              </Button>
              <Button onClick={() => copy(page)}>{t.copyLink}</Button>
              {'share' in navigator && (
                <Button startIcon={<Share />} onClick={send}>
                  {t.sendLink}
                </Button>
              )}
            </Stack>
          </>
        )}
        {targets.length > 0 && (
          <DialogButton label={t.share} icon={<Group />} variant="text" sx={{ alignSelf: 'flex-start' }}>
            {(close) => <ShareDialog code={code} organizations={targets} onClose={close} />}
          </DialogButton>
        )}
      </CardContent>
    </Card>
  )
}
