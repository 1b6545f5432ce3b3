-- EXPAND 0.1.0

CREATE TABLE `rbac_own_roles` (
	`role_id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`name_key` text,
	`description` text DEFAULT '' NOT NULL,
	`preset` text,
	`replace_with` integer,
	FOREIGN KEY (`role_id`) REFERENCES `rbac_roles`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `rbac_own_roles_name` ON `rbac_own_roles` (`org_id`,`name_key`);

CREATE INDEX `rbac_own_roles_replaced` ON `rbac_own_roles` (`replace_with`) WHERE replace_with is not null;

ALTER TABLE `org_invitations` ADD `role_id` integer;

ALTER TABLE `rbac_permissions` ADD `delegable` integer DEFAULT true NOT NULL;

-- Roles that owners make have no points of other domains, and none of those that guard the organization itself.
UPDATE rbac_permissions SET delegable = false
  WHERE domain <> 'ORG'
    OR (resource = 'org' AND action IN ('update', 'delete', 'transfer'))
    OR (resource = 'member' AND action = 'assign_role');
