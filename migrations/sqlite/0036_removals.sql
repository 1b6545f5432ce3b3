-- EXPAND 0.1.0
-- Rows of an organization may be deleted after it, in small writes (src/domains/removals): references to it, and from bindings to its roles, go.
-- SQLite changes no references, so the tables are written anew. They keep their last ids, which must not be given again.

CREATE TABLE `removals` (
	`owner` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `__new_org_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`inviter_id` integer NOT NULL,
	`invitee_id` integer NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`expires_at` integer NOT NULL,
	`responded_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`inviter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invitee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_org_invitations`("id", "org_id", "inviter_id", "invitee_id", "status", "expires_at", "responded_at", "created_at") SELECT "id", "org_id", "inviter_id", "invitee_id", "status", "expires_at", "responded_at", "created_at" FROM `org_invitations`;

DELETE FROM sqlite_sequence WHERE name = '__new_org_invitations';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_org_invitations', seq FROM sqlite_sequence WHERE name = 'org_invitations';

DROP TABLE `org_invitations`;

ALTER TABLE `__new_org_invitations` RENAME TO `org_invitations`;

CREATE UNIQUE INDEX `org_invitations_open` ON `org_invitations` (`org_id`,`invitee_id`) WHERE status = 'PENDING';

CREATE INDEX `org_invitations_list` ON `org_invitations` (`org_id`,"id" desc);

CREATE INDEX `org_invitations_invitee` ON `org_invitations` (`invitee_id`,"id" desc);

CREATE TABLE `__new_org_join_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_org_join_requests`("id", "org_id", "user_id", "message", "created_at") SELECT "id", "org_id", "user_id", "message", "created_at" FROM `org_join_requests`;

DELETE FROM sqlite_sequence WHERE name = '__new_org_join_requests';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_org_join_requests', seq FROM sqlite_sequence WHERE name = 'org_join_requests';

DROP TABLE `org_join_requests`;

ALTER TABLE `__new_org_join_requests` RENAME TO `org_join_requests`;

CREATE UNIQUE INDEX `org_join_requests_applicant` ON `org_join_requests` (`org_id`,`user_id`);

CREATE INDEX `org_join_requests_list` ON `org_join_requests` (`org_id`,`id`);

CREATE INDEX `org_join_requests_user` ON `org_join_requests` (`user_id`);

CREATE TABLE `__new_org_members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`nickname` text,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_org_members`("org_id", "user_id", "nickname", "joined_at") SELECT "org_id", "user_id", "nickname", "joined_at" FROM `org_members`;

DROP TABLE `org_members`;

ALTER TABLE `__new_org_members` RENAME TO `org_members`;

CREATE INDEX `org_members_list` ON `org_members` (`org_id`,`joined_at`,`user_id`);

CREATE INDEX `org_members_user` ON `org_members` (`user_id`,`joined_at`,`org_id`);

CREATE TABLE `__new_org_shares` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`entity_type` text NOT NULL,
	`source_id` integer NOT NULL,
	`qr_code_id` integer,
	`photo_id` integer,
	`shared_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`photo_id`) REFERENCES `album_photos`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`shared_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_org_shares`("id", "org_id", "entity_type", "source_id", "qr_code_id", "photo_id", "shared_by", "created_at") SELECT "id", "org_id", "entity_type", "source_id", "qr_code_id", "photo_id", "shared_by", "created_at" FROM `org_shares`;

DELETE FROM sqlite_sequence WHERE name = '__new_org_shares';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_org_shares', seq FROM sqlite_sequence WHERE name = 'org_shares';

DROP TABLE `org_shares`;

ALTER TABLE `__new_org_shares` RENAME TO `org_shares`;

CREATE UNIQUE INDEX `org_shares_qr_code` ON `org_shares` (`qr_code_id`);

CREATE UNIQUE INDEX `org_shares_photo` ON `org_shares` (`photo_id`);

CREATE INDEX `org_shares_list` ON `org_shares` (`org_id`,"id" desc);

CREATE INDEX `org_shares_source` ON `org_shares` (`org_id`,`entity_type`,`source_id`);

CREATE TABLE `__new_rbac_user_roles` (
	`user_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`is_initial` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `role_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_rbac_user_roles`("user_id", "role_id", "is_initial", "created_at") SELECT "user_id", "role_id", "is_initial", "created_at" FROM `rbac_user_roles`;

DROP TABLE `rbac_user_roles`;

ALTER TABLE `__new_rbac_user_roles` RENAME TO `rbac_user_roles`;

CREATE INDEX `rbac_user_roles_role` ON `rbac_user_roles` (`role_id`);
