/** Prints labels of assets: `/assets/labels?ids=1,2&org=3`. */

import { call } from '../../api/client.ts'
import type { Asset } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { Owned, useAddressOwner } from '../../ui/Owned.tsx'
import { PrintPage } from '../../ui/print/PrintPage.tsx'
import type { Part } from '../../ui/print/sheet.ts'

const words = texts({
  en: {
    ...common.en,
    hint: 'Select assets in the list, then choose “Labels”.',
    toList: 'To the assets',
    number: 'Asset number',
    owner: 'Organization',
    alt: (number: string) => `QR code of ${number}`,
  },
  zh: {
    ...common.zh,
    hint: '请先在列表中选择资产，再点“标签”。',
    toList: '前往资产列表',
    number: '资产编号',
    owner: '组织',
    alt: (number: string) => `${number} 的二维码`,
  },
})

export default function Labels() {
  const orgId = useAddressOwner()
  return (
    <Owned orgId={orgId}>
      <AssetLabels />
    </Owned>
  )
}

function AssetLabels() {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const parts: Part<Asset>[] = [
    { id: 'name', label: t.name, isChosen: true, of: ({ name }) => name },
    { id: 'number', label: t.number, isChosen: true, of: ({ assetNo }) => assetNo },
  ]
  if (owner !== null) parts.push({ id: 'owner', label: t.owner, isChosen: true, of: () => owner.name })
  return (
    <PrintPage<Asset>
      list="/assets"
      toList={t.toList}
      hint={t.hint}
      parts={parts}
      label={({ qrContent, assetNo }) => ({ content: qrContent, name: t.alt(assetNo) })}
      Warnings={LabelWarnings}
      read={(ids, size) => call('assets.list', { query: { ...owned, ids, size } })}
    />
  )
}

/** `AddressWarning` takes other properties. */
const LabelWarnings = () => <AddressWarning />
