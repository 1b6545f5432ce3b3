/** Every operation of users and administrators has a place in the web application, or a reason why not. */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import { calledInWebApp, operationsOf } from '../../scripts/web-client.ts'

/** Operations that the web application does not call, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'actuator.metrics': 'Prometheus reads it.',
  'webhooks.getOfServer': 'webhooks.listOfServer contains it.',
  'webhooks.replayOfServer': 'The log sends deliveries again one at a time.',
  'loginRecords.all': 'An alias of admin.loginRecords.list.',
  'notifications.send': 'The same as admin.notifications.send, under the path for apps.',
  'notifications.sendProgress': 'The list of notifications shows the progress of every send.',
}

const LISTED = 'A list that the web application shows contains it.'
const FOR_APPS =
  'Apps keep several accounts on a device. A browser has one session, and changes between linked accounts.'
const OTHER_WAY = 'The web application uses another operation with the same effect.'
const WITH_THE_ASSET =
  'Assets are the only things with fields in the web application, and their own operations read and write them.'
const OF_USERS_ELSEWHERE: Readonly<Record<string, string>> = {
  'album.listOfCode': 'album.list shows the photos, with a filter.',
  'album.listOfOrg': 'album.list shows the photos, with a filter.',
  'assetCategories.batchPin': 'Categories are pinned one at a time.',
  'auth.accounts': FOR_APPS,
  'auth.logoutDevice': 'devices.revoke ends the sessions of a device.',
  'auth.switchAccount': FOR_APPS,
  'auth.verifyMobile': 'Compares the number of a SIM card, which browsers cannot read.',
  'categories.batchPin': 'Folders are pinned one at a time.',
  'categories.get': LISTED,
  'categories.list': 'categories.tree lists them.',
  'chat.socket': 'session/live.ts connects to it by its path.',
  'files.createTicket': OTHER_WAY,
  'files.delete': 'Files are removed with the thing that they belong to.',
  'files.finishUpload': OTHER_WAY,
  'files.get': LISTED,
  'locations.batchPin': 'Locations are pinned one at a time.',
  'loginRecords.recent': LISTED,
  'loginRecords.recentOfUser': LISTED,
  'loginRecords.report': 'The server records the sign-ins of browsers by itself.',
  'metadata.searchValues': 'Search and filters of the list of assets cover the fields.',
  'metadata.updateValues': WITH_THE_ASSET,
  'notifications.totalCount': 'The list and the socket contain the numbers.',
  'orgs.choose': 'Each browser remembers its own workspace.',
  'orgs.invitation': LISTED,
  'orgs.joinByCode': 'A preview by orgs.public is shown first, then orgs.apply is called.',
  'orgs.joinByQrCode': 'A preview by orgs.public is shown first, then orgs.apply is called.',
  'orgs.switch': 'Each browser remembers its own workspace.',
  'orgs.transferOwnership': 'orgs.transfer offers the ownership, and the member must accept it.',
  'passes.issueByTemplate': OTHER_WAY,
  'profile.updateUser': OTHER_WAY,
  'registrations.cancelOf': 'registrations.update sets this status too.',
  'sessions.create': FOR_APPS,
  'sessions.detail': FOR_APPS,
  'sessions.list': 'devices.list shows the sessions by device.',
  'sessions.revoke': 'devices.revoke ends the sessions of a device.',
  'sessions.switch': FOR_APPS,
  'webhooks.replay': 'The log sends deliveries again one at a time.',
  'sync.pull': 'Only apps work offline with copies of the data.',
}

const ADMINISTRATORS = ['platform', 'admin', 'publisher']
/** Not `open` and `signedUrl`: pages, pictures, links, and the first requests of apps. */
const USERS = ['app', 'org', 'dual', 'signedIn']

for (const [whose, access, elsewhere] of [
  ['administrators', ADMINISTRATORS, ELSEWHERE],
  ['users', USERS, OF_USERS_ELSEWHERE],
] as const)
  test(`every operation of ${whose} is called somewhere in the web application, or has a reason`, () => {
    const called = calledInWebApp()
    const ids = Object.entries(operationsOf(allEndpoints)).flatMap(([id, [, , kind]]) =>
      access.includes(kind) ? [id] : [],
    )
    expect(ids.length).toBeGreaterThan(100)
    expect(ids.filter((id) => !called.has(id) && !(id in elsewhere))).toEqual([])
    // An exception is removed when its operation is called or no longer exists.
    expect(Object.keys(elsewhere).filter((id) => called.has(id) || !ids.includes(id))).toEqual([])
  })
