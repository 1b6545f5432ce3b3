/** The six entities as the rules describe them: their fields, points and references. */

import type { SyncEntityName } from '#db/schema/sync.ts'

export type Entity = SyncEntityName
export type Data = Record<string, unknown>

export interface Spec {
  /** Whether organizations own some. */
  readonly inOrganizations: boolean
  /** Required in an organization to see the rows. */
  readonly read: string
  readonly create: string
  readonly update: string
  readonly delete: string
  /** Fields without which there is no new row. */
  readonly required: readonly string[]
  /** The fields that the model follows, with their values in a new row. */
  readonly defaults: Data
  /** Fields of existing rows that pushes change. Others in `data` are ignored. */
  readonly writable: readonly string[]
  readonly references: Readonly<Record<string, Entity>>
  /** Fields of views that change without a new version. */
  readonly volatile: readonly string[]
  /** Whether a deleted row keeps its data, so that an update can bring it back. */
  readonly keepsDeleted: boolean
}

const code = { name: '', content: '', remark: '', tags: [], isPublic: false, pinned: false, sortOrder: 0 }
const photo = { takenAt: null, address: null, watermark: null, latitude: null, longitude: null }

export const SPECS: Readonly<Record<Entity, Spec>> = {
  qrCode: {
    inOrganizations: true,
    read: 'qr_code:read',
    create: 'qr_code:create',
    update: 'qr_code:update',
    delete: 'qr_code:delete',
    required: ['name', 'content'],
    defaults: { ...code, categoryId: null },
    writable: [...Object.keys(code), 'categoryId'],
    references: { categoryId: 'category' },
    volatile: ['scanCount'],
    keepsDeleted: true,
  },
  category: {
    inOrganizations: false,
    read: '',
    create: '',
    update: '',
    delete: '',
    required: ['name'],
    defaults: { name: '', color: '', parentId: null, pinned: false, sortOrder: 0 },
    writable: ['name', 'color', 'parentId', 'pinned', 'sortOrder'],
    references: { parentId: 'category' },
    volatile: ['codeCount'],
    keepsDeleted: false,
  },
  scanRecord: {
    inOrganizations: false,
    read: '',
    create: '',
    update: '',
    delete: '',
    required: ['content'],
    defaults: { content: '', title: null, favorite: false, address: null, qrCodeId: null },
    writable: ['title', 'favorite', 'address'],
    references: {},
    volatile: [],
    keepsDeleted: false,
  },
  albumPhoto: {
    inOrganizations: true,
    read: 'album:read',
    create: 'album:create',
    // There is no point of its own for changes.
    update: 'album:create',
    delete: 'album:delete',
    required: ['fileId'],
    defaults: { ...photo, fileId: 0, qrCodeId: null },
    writable: [...Object.keys(photo), 'qrCodeId'],
    references: { qrCodeId: 'qrCode' },
    volatile: ['url', 'thumbnailUrl'],
    keepsDeleted: false,
  },
  asset: {
    inOrganizations: true,
    read: 'asset:read',
    create: 'asset:create',
    update: 'asset:update',
    delete: 'asset:delete',
    required: ['name'],
    defaults: { name: '', remark: '', brand: '', status: 'IN_USE', assetNo: undefined, categoryId: null },
    writable: ['name', 'remark', 'brand', 'status', 'assetNo', 'categoryId'],
    references: { categoryId: 'assetCategory' },
    volatile: [],
    keepsDeleted: true,
  },
  assetCategory: {
    inOrganizations: true,
    read: 'asset:read',
    create: 'asset_category:manage',
    update: 'asset_category:manage',
    delete: 'asset_category:manage',
    required: ['name'],
    defaults: { name: '', color: '', parentId: null, shared: true, pinned: false, sortOrder: 0 },
    writable: ['name', 'color', 'parentId', 'shared', 'pinned', 'sortOrder'],
    references: { parentId: 'assetCategory' },
    volatile: ['assetCount', 'children'],
    keepsDeleted: true,
  },
}

export const ENTITIES = Object.keys(SPECS) as Entity[]

export const PATHS: Readonly<Record<Entity, string>> = {
  qrCode: '/api/qr-codes',
  category: '/api/categories',
  scanRecord: '/api/scan-records',
  albumPhoto: '/api/album',
  asset: '/api/assets',
  assetCategory: '/api/assets/categories',
}

/** The points of members; guests only read codes. Owners and administrators hold all. */
const MEMBER = ['qr_code:read', 'album:read', 'album:create', 'asset:read', 'share:create', 'meta_value:read']
export const ROLES: Readonly<Record<string, readonly string[] | undefined>> = { MEMBER, GUEST: ['qr_code:read'] }
/** The points that the role CUSTOM can hold. */
export const POINTS = [
  ...MEMBER,
  ...['create', 'update', 'delete'].flatMap((action) => [`qr_code:${action}`, `asset:${action}`]),
  'asset_category:manage',
]

export const isCategory = (entity: Entity): boolean => entity === 'category' || entity === 'assetCategory'

/** Levels of both kinds of categories. */
export const MAX_DEPTH = 5
