import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { findableAsset, newestReport, report } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ server, victim, mark }) {
    const asset = await findableAsset(victim, { name: mark, assetNo: `${mark} found` }, { when: 'ALWAYS', text: mark })
    await report(server, asset, { message: mark, contact: mark })
    return { foundReport: (await newestReport(victim)).id }
  },
  paths: [[/^\/api\/found-reports\/:/, 'foundReport']],
  fields: {},
  reads: (owned) => ['/api/found-reports?size=100', `/api/found-reports/${owned['foundReport']}`],
}
