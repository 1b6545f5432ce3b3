/** The photos of the workspace by month. Pictures can be chosen, taken, or dropped anywhere on the page. */

import { AddPhotoAlternate, PhotoCamera, PhotoLibrary, PlaceOutlined, SearchOff } from '@mui/icons-material'
import { Box, ButtonBase, LinearProgress, Stack, Typography } from '@mui/material'
import { type DragEvent, useState } from 'react'
import { useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { AlbumPhoto } from '../../api/types.ts'
import { bytes, date, dateFormat } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { timeOf } from './photo.ts'
import { PhotoViewer } from './PhotoViewer.tsx'
import { UploadList } from './UploadList.tsx'
import { addPhotos, useUploads } from './uploads.ts'

const words = texts({
  en: {
    title: 'Album',
    add: 'Add photos',
    take: 'Take a photo',
    search: 'Search by name or place',
    empty: 'No photos yet',
    emptyText: 'Add photos from your device, take one, or drop files here. Time and place are read from the photos.',
    emptyMember: 'Nobody has added a photo here yet.',
    notFound: 'Nothing found',
    notFoundText: 'Try another word.',
    drop: 'Drop the photos to add them',
    used: (used: string, limit: string) => `Storage: ${used} of ${limit} used`,
    usedOnly: (used: string) => `Storage: ${used} used`,
    storage: 'Storage',
    photo: (name: string, day: string) => `${name}, ${day}`,
    hasPlace: 'with place',
  },
  zh: {
    title: '相册',
    add: '添加照片',
    take: '拍照',
    search: '搜索名称或地点',
    empty: '还没有照片',
    emptyText: '从设备中选择、拍摄，或将文件拖到这里。时间和地点会从照片中读取。',
    emptyMember: '这里还没有人添加照片。',
    notFound: '没有找到',
    notFoundText: '请换个关键词。',
    drop: '松开即可添加照片',
    used: (used: string, limit: string) => `存储空间：已用 ${used}，共 ${limit}`,
    usedOnly: (used: string) => `存储空间：已用 ${used}`,
    storage: '存储空间',
    photo: (name: string, day: string) => `${name}，${day}`,
    hasPlace: '有位置',
  },
})

/** File names of iPhones end like this; browsers on other systems do not count them as images. */
const PICTURES = 'image/*,.heic,.heif'

export default function Album() {
  const t = useTexts(words)
  const may = useMay()
  const mayAdd = may('album.add')
  const [search, setSearch] = useSearchParams()
  const [keyword, setKeyword] = useState('')
  const [isOver, setOver] = useState(false)
  const uploads = useUploads()
  const query = { ...ownerQuery(), ...(keyword && { keyword }) }
  const { items, total, error, isLoading, more, retry } = usePages('album.list', { query }, { size: 60 })
  const openId = Number(search.get('photo')) || undefined
  const show = (id: number | undefined) =>
    setSearch(id === undefined ? {} : { photo: String(id) }, { replace: openId !== undefined })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (mayAdd) addPhotos([...event.dataTransfer.files])
  }
  const isEmpty = items?.length === 0
  const buttons = mayAdd && (
    <Stack direction="row" spacing={1} sx={{ width: { xs: '100%', md: 'auto' }, '& > button': { flex: 1 } }}>
      <FileButton
        variant="outlined"
        accept={PICTURES}
        capture="environment"
        startIcon={<PhotoCamera />}
        onFiles={addPhotos}
        sx={{ display: { md: 'none' } }}
      >
        {t.take}
      </FileButton>
      <FileButton
        variant="contained"
        accept={PICTURES}
        multiple
        startIcon={<AddPhotoAlternate />}
        onFiles={addPhotos}
        data-create
      >
        {t.add}
      </FileButton>
    </Stack>
  )
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault()
        setOver(mayAdd)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
      sx={{
        minHeight: '70vh',
        ...(isOver && { outline: '3px dashed', outlineColor: 'primary.main', borderRadius: 2 }),
      }}
    >
      <Page title={t.title} width="full" actions={buttons}>
        {isOver && (
          <Typography
            component="output"
            color="primary"
            sx={{ display: 'block', fontWeight: 600, textAlign: 'center', py: 1 }}
          >
            {t.drop}
          </Typography>
        )}
        <UploadList uploads={uploads} />
        {(!isEmpty || keyword !== '') && (
          <Stack
            direction={{ xs: 'column', sm: 'row' }}
            spacing={2}
            sx={{ mb: 2, alignItems: { sm: 'center' }, justifyContent: 'space-between' }}
          >
            <SearchField
              label={t.search}
              value={keyword}
              onSearch={setKeyword}
              sx={{ flex: 1, maxWidth: { sm: 420 } }}
            />
            <Storage />
          </Stack>
        )}
        {error !== null && <ErrorNotice error={error} onRetry={retry} />}
        {items === undefined && error === null && <Loading />}
        {isEmpty &&
          (keyword === '' ? (
            <EmptyState icon={PhotoLibrary} title={t.empty} text={mayAdd ? t.emptyText : t.emptyMember} />
          ) : (
            <EmptyState icon={SearchOff} title={t.notFound} text={t.notFoundText} />
          ))}
        {items !== undefined &&
          byMonth(items).map(({ month, photos }) => <Month key={month} name={month} photos={photos} onOpen={show} />)}
        {items !== undefined && <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />}
      </Page>
      {openId !== undefined && items !== undefined && (
        <PhotoViewer id={openId} photos={items} onShow={show} onMore={items.length < total ? more : undefined} />
      )}
    </Box>
  )
}

interface MonthProps {
  name: string
  photos: readonly AlbumPhoto[]
  onOpen: (id: number) => void
}

function Month({ name, photos, onOpen }: MonthProps) {
  return (
    <Box component="section" sx={{ mb: 3 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {name}
      </Typography>
      <Box
        component="ul"
        sx={{
          m: 0,
          p: 0,
          listStyle: 'none',
          display: 'grid',
          gap: { xs: 0.5, sm: 1 },
          gridTemplateColumns: { xs: 'repeat(3, 1fr)', sm: 'repeat(auto-fill, minmax(150px, 1fr))' },
        }}
      >
        {photos.map((photo) => (
          <li key={photo.id}>
            <Thumbnail photo={photo} onOpen={() => onOpen(photo.id)} />
          </li>
        ))}
      </Box>
    </Box>
  )
}

function Thumbnail({ photo, onOpen }: { photo: AlbumPhoto; onOpen: () => void }) {
  const t = useTexts(words)
  return (
    <ButtonBase
      onClick={onOpen}
      aria-label={t.photo(photo.name, date(timeOf(photo)))}
      focusRipple
      sx={{
        position: 'relative',
        width: '100%',
        aspectRatio: '1',
        overflow: 'hidden',
        borderRadius: 1,
        bgcolor: 'action.hover',
        '&:focus-visible': { outline: '3px solid', outlineColor: 'primary.main', outlineOffset: '2px' },
      }}
    >
      <Box
        component="img"
        src={photo.thumbnailUrl ?? photo.url}
        alt=""
        loading="lazy"
        decoding="async"
        sx={{ width: '100%', height: '100%', objectFit: 'cover' }}
      />
      {photo.latitude !== null && (
        <PlaceOutlined
          titleAccess={t.hasPlace}
          sx={{
            position: 'absolute',
            right: 4,
            bottom: 4,
            fontSize: 20,
            p: '2px',
            borderRadius: '50%',
            color: 'common.white',
            bgcolor: 'rgba(0,0,0,0.55)',
          }}
        />
      )}
    </ButtonBase>
  )
}

/** How much of the storage the files of the workspace take, photos and others. */
function Storage() {
  const t = useTexts(words)
  const { data } = useCall('profile.quotas', { query: ownerQuery() })
  if (data === undefined) return null
  const { used, limit } = data.storage
  const text = limit === 0 ? t.usedOnly(bytes(used)) : t.used(bytes(used), bytes(limit))
  return (
    <Box sx={{ width: { xs: '100%', sm: 280 } }}>
      <Typography variant="body2" color="text.secondary">
        {text}
      </Typography>
      {limit > 0 && (
        <LinearProgress
          variant="determinate"
          value={Math.min(100, (used / limit) * 100)}
          color={used / limit > 0.9 ? 'error' : 'primary'}
          aria-label={t.storage}
          sx={{ mt: 0.5, borderRadius: 1 }}
        />
      )}
    </Box>
  )
}

/** Neighbouring photos of one month, in the order of the list. */
function byMonth(photos: readonly AlbumPhoto[]): { month: string; photos: AlbumPhoto[] }[] {
  const format = dateFormat({
    month: 'long',
    year: 'numeric',
  })
  const months: { month: string; photos: AlbumPhoto[] }[] = []
  for (const photo of photos) {
    const month = format.format(timeOf(photo))
    if (months.at(-1)?.month === month) months.at(-1)!.photos.push(photo)
    else months.push({ month, photos: [photo] })
  }
  return months
}
