/** A small app in TypeScript with the generated client: registers, creates an activity and reads numbers that need 64 bits. */

import { equal } from 'node:assert/strict'

import { ActivitiesApi, ActivitiesListSortEnum, Configuration, ProfileApi, SigningInApi } from './client/index.ts'

const [url, quota] = process.argv.slice(2)
const xDeviceId = crypto.randomUUID()
const registration = { username: 'typescript', password: 'correct horse battery' }
const login = await new SigningInApi(new Configuration({ basePath: url })).authRegister({ registration, xDeviceId })
const { accessToken } = login.data
const settings = new Configuration({ basePath: url, accessToken, apiKey: xDeviceId })

const activities = new ActivitiesApi(settings)
const startTime = Date.now() + 3_600_000
const createActivity = { name: 'Fair', startTime, endTime: startTime + 7_200_000 }
const created = (await activities.activitiesCreate({ createActivity })).data
equal(created.startTime, startTime)
const listed = await activities.activitiesList({ sort: ActivitiesListSortEnum.NAME_DESCENDING })
equal(listed.data.items.map(({ id }) => id).join(), String(created.id))
equal((await activities.activitiesDelete({ id: created.id })).data, null)

equal((await new ProfileApi(settings).profileQuotas()).data.storage.limit, Number(quota))
