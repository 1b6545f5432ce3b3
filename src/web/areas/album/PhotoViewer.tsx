/** A photo on the whole screen with its facts. The arrow keys show the next and the previous one. */

import {
  ChevronLeft,
  ChevronRight,
  Close,
  Delete,
  Download,
  EditOutlined,
  InfoOutlined,
  IosShare,
} from '@mui/icons-material'
import { Box, Dialog, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { type KeyboardEvent, type ReactNode, type TouchEvent, useEffect, useRef, useState } from 'react'

import { call } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { useCall, useRefresh } from '../../api/hooks.ts'
import type { AlbumPhoto } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery, useRowQuery, useSession } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { Owned } from '../../ui/Owned.tsx'
import { useIsNarrow } from '../../ui/use-is-phone.ts'
import { EditPhoto, SharePhoto } from './PhotoDialogs.tsx'
import { PhotoFacts } from './PhotoFacts.tsx'

const words = texts({
  en: {
    ...common.en,
    next: 'Next photo',
    previous: 'Previous photo',
    facts: 'Facts',
    edit: 'Change time and place',
    share: 'Share with an organization',
    removeTitle: 'Delete this photo?',
    removeText:
      'The photo is deleted at once, and its file with it. This cannot be undone. Copies in organizations stay.',
    removed: 'The photo is deleted.',
  },
  zh: {
    ...common.zh,
    next: '下一张',
    previous: '上一张',
    facts: '详情',
    edit: '修改时间和地点',
    share: '共享给组织',
    removeTitle: '删除这张照片？',
    removeText: '照片及其文件将立即删除，无法撤销。已共享给组织的副本会保留。',
    removed: '照片已删除。',
  },
})

export interface PhotoViewerProps {
  id: number
  /** The photos of the list, in their order. */
  photos: readonly AlbumPhoto[]
  onShow: (id: number | undefined) => void
  /** Reads further photos; undefined at the end of the list. */
  onMore: (() => void) | undefined
}

type PhotoDialog = 'delete' | 'edit' | 'share'

/** Pixels of a swipe. */
const SWIPE = 60

export function PhotoViewer(props: PhotoViewerProps) {
  const { id, photos } = props
  const listed = photos.find((one) => one.id === id)
  // A photo that was opened by its address may be further down the list, or in another one.
  const single = useCall(
    'album.get',
    { params: { id }, query: useRowQuery('album.get') },
    { enabled: listed === undefined },
  )
  const photo = listed ?? single.data
  return (
    <Owned orgId={photo?.orgId}>
      <Viewer {...props} photo={photo} error={single.error} />
    </Owned>
  )
}

interface ViewerProps extends PhotoViewerProps {
  /** Undefined until it was read. */
  photo: AlbumPhoto | undefined
  error: ApiError | null
}

function Viewer({ id, photos, photo, error, onShow, onMore }: ViewerProps) {
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const owner = useOwner()
  const { orgs } = useSession()
  const isWide = !useIsNarrow()
  const [hasFacts, setFacts] = useState(isWide)
  const [dialog, setDialog] = useState<PhotoDialog>()
  const index = photos.findIndex((one) => one.id === id)
  const next = index < 0 ? undefined : photos[index + 1]
  const previous = index < 0 ? undefined : photos[index - 1]
  const isNearEnd = index >= photos.length - 3
  useEffect(() => {
    if (isNearEnd) onMore?.()
    // Only when another photo is shown: the list reports its own progress.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [index, isNearEnd])
  useEffect(() => {
    if (next !== undefined) new Image().src = next.url
  }, [next])
  const refresh = useRefresh()
  const onKey = (event: KeyboardEvent) => {
    if (dialog !== undefined) return
    if (event.key === 'ArrowRight' && next) onShow(next.id)
    if (event.key === 'ArrowLeft' && previous) onShow(previous.id)
  }
  const targets = orgs.filter((org) => may('shares.create', org))
  return (
    <Dialog
      open
      fullScreen
      onClose={() => onShow(undefined)}
      onKeyDown={onKey}
      aria-labelledby="photo-name"
      slotProps={{ paper: { sx: { bgcolor: 'common.black' } } }}
    >
      <Stack direction="row" sx={{ alignItems: 'center', color: 'common.white', px: 1, minHeight: 56 }}>
        <Tool label={t.close} onClick={() => onShow(undefined)} icon={<Close />} />
        <Typography id="photo-name" noWrap sx={{ flex: 1, px: 1 }}>
          {photo?.name ?? t.facts}
        </Typography>
        {photo !== undefined && (
          <Tools
            photo={photo}
            mayShare={owner === null && targets.length > 0}
            onFacts={() => setFacts((shown) => !shown)}
            onDialog={setDialog}
          />
        )}
      </Stack>
      <Stack direction={{ xs: 'column', md: 'row' }} sx={{ flex: 1, minHeight: 0 }}>
        <Picture
          photo={photo}
          error={error}
          onPrevious={previous && (() => onShow(previous.id))}
          onNext={next && (() => onShow(next.id))}
        />
        {hasFacts && photo !== undefined && (
          <Box
            tabIndex={0}
            sx={{
              width: { md: 320 },
              maxHeight: { xs: '40%', md: 'none' },
              overflowY: 'auto',
              p: 2,
              bgcolor: 'background.paper',
            }}
          >
            <PhotoFacts photo={photo} />
          </Box>
        )}
      </Stack>
      {photo !== undefined && dialog === 'delete' && (
        <ActionDialog
          operation="album.delete"
          input={{ params: { id: photo.id }, query: owned }}
          title={t.removeTitle}
          text={t.removeText}
          action={t.delete}
          // Another photo is shown first: this one must not be read again.
          refreshes={[]}
          done={t.removed}
          onDone={() => {
            onShow((next ?? previous)?.id)
            void refresh('album.list', 'profile.quotas')
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
      {photo !== undefined && dialog === 'edit' && <EditPhoto photo={photo} onClose={() => setDialog(undefined)} />}
      {photo !== undefined && dialog === 'share' && (
        <SharePhoto photo={photo} organizations={targets} onClose={() => setDialog(undefined)} />
      )}
    </Dialog>
  )
}

interface ToolsProps {
  photo: AlbumPhoto
  mayShare: boolean
  onFacts: () => void
  onDialog: (dialog: PhotoDialog) => void
}

function Tools({ photo, mayShare, onFacts, onDialog }: ToolsProps) {
  const t = useTexts(words)
  const may = useMay()
  const save = async () => {
    try {
      const { url } = await call('files.signedUrl', { query: { fileId: photo.fileId, disposition: 'attachment' } })
      const link = document.createElement('a')
      link.href = url
      link.download = photo.name
      link.click()
    } catch (error) {
      notify((error as ApiError).message, 'error')
    }
  }
  return (
    <>
      <Tool label={t.facts} onClick={onFacts} icon={<InfoOutlined />} />
      <Tool label={t.download} onClick={() => void save()} icon={<Download />} />
      {mayShare && <Tool label={t.share} onClick={() => onDialog('share')} icon={<IosShare />} />}
      {may('album.add') && may('sync.push') && (
        <Tool label={t.edit} onClick={() => onDialog('edit')} icon={<EditOutlined />} />
      )}
      {may('album.delete') && <Tool label={t.delete} onClick={() => onDialog('delete')} icon={<Delete />} />}
    </>
  )
}

interface PictureProps extends Pick<ViewerProps, 'photo' | 'error'> {
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}

function Picture({ photo, error, onPrevious, onNext }: PictureProps) {
  const t = useTexts(words)
  const touched = useRef<number>(undefined)
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const moved = changedTouches[0]!.clientX - (touched.current ?? changedTouches[0]!.clientX)
    if (moved < -SWIPE) onNext?.()
    if (moved > SWIPE) onPrevious?.()
  }
  return (
    <Box
      onTouchStart={({ touches }) => (touched.current = touches[0]!.clientX)}
      onTouchEnd={onTouchEnd}
      sx={{ position: 'relative', flex: 1, minHeight: 0, display: 'grid', placeItems: 'center' }}
    >
      {photo === undefined && error === null && <Loading />}
      {error !== null && photo === undefined && <ErrorNotice error={error} />}
      {photo !== undefined && (
        <Box
          component="img"
          key={photo.id}
          src={photo.url}
          alt={photo.name}
          sx={{ position: 'absolute', inset: 0, width: '100%', height: '100%', objectFit: 'contain' }}
        />
      )}
      {onPrevious && (
        <Side side="left">
          <Tool label={t.previous} onClick={onPrevious} icon={<ChevronLeft />} />
        </Side>
      )}
      {onNext && (
        <Side side="right">
          <Tool label={t.next} onClick={onNext} icon={<ChevronRight />} />
        </Side>
      )}
    </Box>
  )
}

const Tool = ({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) => (
  <Tooltip title={label}>
    <IconButton aria-label={label} onClick={onClick} sx={{ color: 'common.white', width: 44, height: 44 }}>
      {icon}
    </IconButton>
  </Tooltip>
)

const Side = ({ side, children }: { side: 'left' | 'right'; children: ReactNode }) => (
  <Box
    sx={{
      position: 'absolute',
      [side]: 8,
      top: 'calc(50% - 22px)',
      borderRadius: '50%',
      bgcolor: 'rgba(0,0,0,0.55)',
    }}
  >
    {children}
  </Box>
)
