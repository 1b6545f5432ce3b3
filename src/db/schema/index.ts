/** Every table, for the migration generator and the store. */
export * from './access.ts'
export * from './accounts.ts'
export * from './delivery.ts'
export * from './notifications.ts'
export * from './orgs.ts'
export * from './qr-codes.ts'
export * from './settings.ts'
