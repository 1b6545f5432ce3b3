/** Shapes of album photos in requests and answers. */

import {
  Id,
  Latitude,
  Line,
  Longitude,
  Model,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  RowVersion,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

/** Bytes of a watermark as JSON in UTF-8. */
export const MAX_WATERMARK = 20 * 1024

const WATERMARK = { text: 'Fire extinguisher 12', time: '2026-03-01 09:30', place: 'Hall B', operator: 'Lin Mei' }
const ADDRESS = '1 West Lake Road, Hangzhou'

const Watermark = Type.Unsafe<Record<string, unknown>>(
  Type.Record(Type.String(), Type.Unknown(), {
    description:
      `The texts that the camera app drew on the picture, kept as given: an object of at most ${MAX_WATERMARK} bytes of JSON. In a ` +
      'form it is JSON text. Usual keys: `text`, `time`, `place`, `operator`, `template`',
    examples: [WATERMARK],
  }),
)

const QrCodeId = { ...Id, description: 'A QR code of the same owner' }
const Address = Line(200, 0, { examples: [ADDRESS] })
const takenAt = 'When the picture was taken. By default the time in its EXIF data'
const position = 'Give both coordinates or neither. By default the position in the EXIF data'

export const AddPhoto = Model(
  'AddAlbumPhoto',
  {
    dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] },
    examples: [{ fileId: 42, takenAt: 1_767_225_600_000, address: ADDRESS, watermark: WATERMARK }],
  },
  {
    fileId: Type.Optional(
      Nullable({
        ...Id,
        description: 'An unused upload of yours, of type `album` and for the same owner. Not with `file`',
      }),
    ),
    orgId: Type.Optional(Nullable(Id)),
    qrCodeId: Type.Optional(Nullable(QrCodeId)),
    takenAt: Type.Optional(Nullable({ ...Time, description: takenAt })),
    latitude: Type.Optional(Nullable({ ...Latitude, description: position })),
    longitude: Type.Optional(Nullable(Longitude)),
    address: Type.Optional(Nullable(Address)),
    watermark: Type.Optional(Nullable(Watermark)),
    requestId: Type.Optional(
      Nullable(
        Raw(64, 8, {
          description:
            'Chosen by the client, for forms with `file`. Another form of yours with the same one is answered with the first photo',
          examples: ['0f8fad5b-d9cb-469f-a165-70867728950e'],
        }),
      ),
    ),
  },
)
export type AddPhoto = Static<typeof AddPhoto>

/** The fields of a photo that devices can change. */
export const ChangePhoto = Type.Object({
  qrCodeId: Type.Optional(Nullable(QrCodeId)),
  takenAt: Type.Optional(Nullable(Time)),
  latitude: Type.Optional(Nullable(Latitude)),
  longitude: Type.Optional(Nullable(Longitude)),
  address: Type.Optional(Nullable(Address)),
  watermark: Type.Optional(Nullable(Watermark)),
})
export type ChangePhoto = Static<typeof ChangePhoto>

const filters = {
  from: Type.Optional({ ...Time, description: 'Only photos taken at this time or later; without such a time, added' }),
  to: Type.Optional({ ...Time, description: 'Only photos taken at this time or earlier; without such a time, added' }),
  hasLocation: Type.Optional(Type.Boolean()),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in name, address and the texts of the watermark', examples: ['hall'] }),
  ),
  sort: Sort(['takenAt', 'createdAt']),
}

export const ByOrg = Type.Object({ orgId: Id })
export const ByCode = Type.Object({ qrCodeId: Id })

export const PhotosOfOrgQuery = PageQuery({ qrCodeId: Type.Optional(Id), ...filters })
export const PhotosQuery = PageQuery({ orgId: Type.Optional(Id), qrCodeId: Type.Optional(Id), ...filters })
export const PhotosOfCodeQuery = PageQuery({ orgId: Type.Optional(Id), ...filters })
/** Of an owner, or of one QR code of the owner. */
export type PhotosQuery = Static<typeof PhotosOfOrgQuery>

export const PhotoView = Model('AlbumPhoto', {
  id: Id,
  fileId: Id,
  url: Text(
    'https://qr.example.org/api/files/7/content?variant=ORIGINAL&disposition=inline&expires=1900000000&signature=s',
    { description: 'Signed address of the image, valid for at least an hour' },
  ),
  thumbnailUrl: Nullable(
    Text(
      'https://qr.example.org/api/files/7/content?variant=THUMBNAIL&disposition=inline&expires=1900000000&signature=s',
    ),
  ),
  qrCodeId: Nullable(Id),
  orgId: Nullable(Id),
  takenAt: Nullable(Time),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  address: Nullable(Text(ADDRESS)),
  watermark: Nullable(Watermark),
  uploaderId: Id,
  name: Text('IMG_2041.jpg'),
  width: Nullable(Type.Integer({ description: 'Pixels' })),
  height: Nullable(Type.Integer()),
  size: Type.Integer({ minimum: 0, description: 'Bytes' }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type PhotoView = Static<typeof PhotoView>
export const PhotoPage = PageOf(PhotoView)
