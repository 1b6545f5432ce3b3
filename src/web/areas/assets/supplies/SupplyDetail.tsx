/** One supply: its stock by place, movements, who has some of it, and its code. */

import { Add, Delete, Edit, MoreVert, Print, Remove } from '@mui/icons-material'
import { Box, Button, Chip, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { Supply, SupplyLoan, SupplyMovementType } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { date, labelled, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwnerQuery, useRowQuery } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { MoreButton } from '../../../ui/Answer.tsx'
import { IconMenu, MenuEntry } from '../../../ui/MenuButton.tsx'
import { OwnedAnswer, useOwnedPath } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Facts, Section } from '../../../ui/parts.tsx'
import { AssetPhotos } from '../AssetFacts.tsx'
import { labelPicture } from '../AssetLabel.tsx'
import { useNames } from '../places.ts'
import { useColumn } from '../words.ts'
import { MovementDialog } from './MovementDialog.tsx'
import { MovementRows } from './MovementRows.tsx'
import { words as shared } from './supply-words.ts'

const words = texts({
  en: {
    ...common.en,
    in: 'Add',
    take: 'Hand out',
    return: 'Take back',
    move: 'Move',
    count: 'Count',
    writeOff: 'Write off',
    takeSome: 'Take some',
    byPlace: 'Stock by place',
    nothing: 'Nothing is there.',
    people: 'Who has some',
    due: (when: string) => `due on ${when}`,
    movements: 'Movements',
    label: 'Label',
    alt: (name: string) => `QR code of ${name}`,
    selfService: 'Members take some',
    upTo: (n: string) => `up to ${n} at once`,
    off: 'no',
    toOrder: 'To order',
    keepers: 'Keepers',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText: 'Its photos are deleted too, and its label leads nowhere. Its movements stay. This cannot be undone.',
    deleted: 'The supply was deleted.',
  },
  zh: {
    ...common.zh,
    in: '入库',
    take: '领用',
    return: '归还',
    move: '移库',
    count: '盘点',
    writeOff: '报损',
    takeSome: '自助领用',
    byPlace: '各位置库存',
    nothing: '没有库存。',
    people: '借用情况',
    due: (when: string) => `应于 ${when} 归还`,
    movements: '出入库记录',
    label: '标签',
    alt: (name: string) => `${name} 的二维码`,
    selfService: '成员自助领用',
    upTo: (n: string) => `每次最多 ${n}`,
    off: '否',
    toOrder: '建议补货',
    keepers: '管理员',
    removeTitle: (name: string) => `删除“${name}”？`,
    removeText: '照片会一并删除，标签失效，出入库记录会保留。此操作无法撤销。',
    deleted: '物料已删除。',
  },
})

export default function SupplyDetail() {
  const { id } = useParams()
  const query = useCall('supplies.get', { params: { id: Number(id) }, query: useRowQuery('supplies.get') })
  return <OwnedAnswer query={query}>{(supply) => <Detail supply={supply} />}</OwnedAnswer>
}

type Dialog = SupplyMovementType | 'DELETE'

function Detail({ supply }: { supply: Supply }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<Dialog>()
  const [person, setPerson] = useState<SupplyLoan>()
  const close = () => {
    setDialog(undefined)
    setPerson(undefined)
  }
  return (
    <Page title={supply.name} back="/assets/supplies" actions={<Actions supply={supply} onChoose={setDialog} />}>
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 2fr) minmax(260px, 1fr)' },
        }}
      >
        <Box sx={{ minWidth: 0 }}>
          <Numbers supply={supply} />
          {supply.lent > 0 && (
            <People
              supply={supply}
              onReturn={(one) => {
                setPerson(one)
                setDialog('RETURN')
              }}
            />
          )}
          <Section title={t.movements}>
            <MovementRows filters={{ supplyId: supply.id }} unit={supply.unit} />
          </Section>
        </Box>
        <Box sx={{ minWidth: 0 }}>
          {supply.photos.length > 0 && (
            <Box sx={{ mb: 2 }}>
              <AssetPhotos asset={supply} />
            </Box>
          )}
          <SupplyFacts supply={supply} />
          <Label supply={supply} />
        </Box>
      </Box>
      {dialog !== undefined && dialog !== 'DELETE' && (
        <MovementDialog supply={supply} type={dialog} {...(person && { person })} onClose={close} />
      )}
      {dialog === 'DELETE' && (
        <ActionDialog
          operation="supplies.delete"
          input={{ params: { id: supply.id }, query: owned }}
          title={t.removeTitle(supply.name)}
          text={t.removeText}
          action={t.delete}
          refreshes={['supplies.list']}
          done={t.deleted}
          onDone={() => void navigate('/assets/supplies', { replace: true })}
          onClose={close}
        />
      )}
    </Page>
  )
}

function Actions({ supply, onChoose }: { supply: Supply; onChoose: (dialog: Dialog) => void }) {
  const t = useTexts(words)
  const may = useMay()
  const ownedPath = useOwnedPath()
  const mayBook = may('supplies.reverse')
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
      {mayBook && (
        <>
          <Button variant="contained" startIcon={<Remove />} onClick={() => onChoose('TAKE')}>
            {t.take}
          </Button>
          <Button variant="outlined" startIcon={<Add />} onClick={() => onChoose('IN')}>
            {t.in}
          </Button>
        </>
      )}
      {!mayBook && supply.selfService && (
        <Button component={Link} to={`/take/${supply.uuid}`} variant="contained">
          {t.takeSome}
        </Button>
      )}
      <IconMenu label={t.moreActions} icon={<MoreVert />}>
        {mayBook && supply.kind === 'POOL' && <MenuEntry text={t.return} onClick={() => onChoose('RETURN')} />}
        {mayBook && supply.orgId !== null && <MenuEntry text={t.move} onClick={() => onChoose('MOVE')} />}
        {mayBook && <MenuEntry text={t.count} onClick={() => onChoose('COUNT')} />}
        {mayBook && <MenuEntry text={t.writeOff} onClick={() => onChoose('WRITE_OFF')} />}
        {may('supplies.update') && (
          <MenuEntry icon={<Edit />} text={t.edit} to={`/assets/supplies/${supply.id}/edit`} />
        )}
        <MenuEntry icon={<Print />} text={t.print} to={ownedPath(`/assets/labels?source=SUPPLY&ids=${supply.id}`)} />
        {may('supplies.delete') && (
          <MenuEntry icon={<Delete />} text={t.delete} onClick={() => onChoose('DELETE')} isDestructive />
        )}
      </IconMenu>
    </Stack>
  )
}

function Numbers({ supply }: { supply: Supply }) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const names = useNames()
  const isLow = supply.minimum !== null && supply.stock < supply.minimum
  return (
    <Section title={t.byPlace}>
      <Stack direction="row" spacing={2} useFlexGap sx={{ alignItems: 'baseline', flexWrap: 'wrap', mb: 1 }}>
        <Typography variant="h1" component="p" data-stock={supply.stock}>
          {number(supply.stock)} {supply.unit}
        </Typography>
        {supply.lent > 0 && <Typography color="text.secondary">{s.lentOut(number(supply.lent))}</Typography>}
        {isLow && <Chip size="small" color="warning" label={s.low} />}
      </Stack>
      {supply.byLocation.length === 0 && <Typography color="text.secondary">{t.nothing}</Typography>}
      <Facts
        items={supply.byLocation.map(({ locationId, quantity }) => [
          locationId === null ? s.noPlace : names.location(locationId) || String(locationId),
          `${number(quantity)} ${supply.unit}`,
        ])}
      />
    </Section>
  )
}

function SupplyFacts({ supply }: { supply: Supply }) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const names = useNames()
  const column = useColumn()
  const kind = useEnum('supplyKind')
  const toOrder = supply.target === null ? 0 : supply.target - supply.stock
  return (
    <Section>
      <Facts
        items={[
          [s.supplyNo, supply.supplyNo],
          [s.kind, kind(supply.kind)],
          [column('category'), names.category(supply.categoryId)],
          [s.minimum, supply.minimum === null ? '' : number(supply.minimum)],
          [s.target, supply.target === null ? '' : number(supply.target)],
          [t.toOrder, toOrder > 0 && number(toOrder)],
          [s.price, supply.price === null ? '' : number(Number(supply.price))],
          [column('supplier'), supply.supplier],
          [t.keepers, supply.keeperIds.map(names.person).filter(Boolean).join(', ')],
          [t.selfService, supply.orgId !== null && (supply.selfService ? t.upTo(number(supply.maxPerTake)) : t.off)],
          [column('remark'), supply.remark],
        ]}
      />
    </Section>
  )
}

function People({ supply, onReturn }: { supply: Supply; onReturn: (loan: SupplyLoan) => void }) {
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const list = usePages('supplies.loans', { params: { id: supply.id }, query: owned })
  return (
    <Section title={t.people}>
      <Stack component="ul" spacing={1} aria-label={t.people} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {list.items?.map((loan) => (
          <Stack
            key={`${loan.userId} ${loan.personName}`}
            component="li"
            direction="row"
            spacing={1}
            sx={{ alignItems: 'center' }}
          >
            <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {labelled(loan.personName, `${number(loan.quantity)} ${supply.unit}`)}
              {loan.dueAt !== null && (
                <Typography component="span" variant="body2" color="text.secondary">
                  {' '}
                  · {t.due(date(loan.dueAt))}
                </Typography>
              )}
            </Box>
            {may('supplies.reverse') && (
              <Button size="small" onClick={() => onReturn(loan)}>
                {t.return}
              </Button>
            )}
          </Stack>
        ))}
      </Stack>
      {list.items !== undefined && (
        <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      )}
    </Section>
  )
}

function Label({ supply }: { supply: Supply }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  return (
    <Section title={t.label}>
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center' }}>
        <Box
          component="img"
          src={labelPicture(supply.qrContent)}
          alt={t.alt(supply.supplyNo)}
          sx={{ width: 128, height: 128, bgcolor: '#fff', borderRadius: 1, flexShrink: 0 }}
        />
        <Button component={Link} to={ownedPath(`/assets/labels?source=SUPPLY&ids=${supply.id}`)} startIcon={<Print />}>
          {t.print}
        </Button>
      </Stack>
    </Section>
  )
}
