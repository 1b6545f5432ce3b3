/**
 * Buttons that open a menu. Choosing an entry closes it.
 *
 *     <IconMenu label={t.more} icon={<MoreVert />}>
 *       <MenuEntry icon={<Edit />} text={t.edit} onClick={edit} />
 *       <MenuEntry icon={<Print />} text={t.print} to="/codes/print" />
 *     </IconMenu>
 */

import {
  Button,
  type ButtonProps,
  IconButton,
  type IconButtonProps,
  ListItemIcon,
  ListItemText,
  Menu,
  MenuItem,
  type MenuItemProps,
  Tooltip,
} from '@mui/material'
import { createContext, type MouseEvent, type ReactNode, useContext, useState } from 'react'
import { Link } from 'react-router'

const SetAnchor = createContext<(anchor: null) => void>(() => {})

/** Closes the menu around the component, for entries other than `<MenuEntry>`. */
export function useCloseMenu(): () => void {
  const setAnchor = useContext(SetAnchor)
  return () => setAnchor(null)
}

/** The properties of the button, and the menu, which is not drawn before it is opened: a list has one in each row. */
function useMenu(children: ReactNode) {
  const [anchor, setAnchor] = useState<HTMLElement | null>()
  const opener = {
    'aria-haspopup': 'menu',
    onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => setAnchor(currentTarget),
  } as const
  const menu = anchor !== undefined && (
    <SetAnchor value={setAnchor}>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {children}
      </Menu>
    </SetAnchor>
  )
  return [opener, menu] as const
}

export interface MenuButtonProps extends Omit<ButtonProps, 'onClick'> {
  label: ReactNode
  icon?: ReactNode
}

export function MenuButton({ label, icon, children, ...button }: MenuButtonProps) {
  const [opener, menu] = useMenu(children)
  return (
    <>
      <Button startIcon={icon} {...button} {...opener}>
        {label}
      </Button>
      {menu}
    </>
  )
}

export interface IconMenuProps extends Omit<IconButtonProps, 'onClick'> {
  /** For screen readers, and with `hasTooltip` also for those who point at the button. */
  label: string
  icon: ReactNode
  hasTooltip?: boolean
}

export function IconMenu({ label, icon, hasTooltip = false, children, ...button }: IconMenuProps) {
  const [opener, menu] = useMenu(children)
  const shown = (
    <IconButton aria-label={label} {...button} {...opener}>
      {icon}
    </IconButton>
  )
  return (
    <>
      {hasTooltip ? <Tooltip title={label}>{shown}</Tooltip> : shown}
      {menu}
    </>
  )
}

export interface MenuEntryProps extends Omit<MenuItemProps, 'children' | 'onClick'> {
  /** False leaves its place empty. */
  icon?: ReactNode
  text: ReactNode
  /** Below the text. */
  hint?: string
  /** Where the entry leads. */
  to?: string
  onClick?: () => void
  /** Red. */
  isDestructive?: boolean
}

export function MenuEntry({ icon, text, hint, to, onClick, isDestructive = false, ...item }: MenuEntryProps) {
  const close = useCloseMenu()
  return (
    <MenuItem
      {...item}
      {...(to !== undefined && { component: Link, to })}
      {...(isDestructive && { sx: { color: 'error.main' } })}
      onClick={() => {
        close()
        onClick?.()
      }}
    >
      {icon !== undefined && (
        <ListItemIcon sx={{ '& svg': { fontSize: '1.25rem' }, ...(isDestructive && { color: 'inherit' }) }}>
          {icon}
        </ListItemIcon>
      )}
      <ListItemText primary={text} secondary={hint} />
    </MenuItem>
  )
}
