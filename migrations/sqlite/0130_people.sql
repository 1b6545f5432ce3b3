-- EXPAND 0.1.0
-- Reset codes, slips of imports, and invitations by mail, which have no invitee until they are accepted. SQLite takes no NOT NULL off a column, so
-- the table of invitations is written anew. It keeps its last id, which must not be given again.

CREATE TABLE `reset_codes` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_by` integer,
	`is_foreign` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `reset_codes_expiry` ON `reset_codes` (`expires_at`);

CREATE TABLE `user_import_sheets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`contents` text NOT NULL,
	`has_xlsx` integer DEFAULT true NOT NULL,
	`has_pdf` integer DEFAULT true NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `user_import_sheets_expiry` ON `user_import_sheets` (`expires_at`);

CREATE INDEX `user_import_sheets_user` ON `user_import_sheets` (`user_id`);

CREATE TABLE `__new_org_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`inviter_id` integer NOT NULL,
	`invitee_id` integer,
	`email` text,
	`token_hash` text,
	`token` text,
	`language` text,
	`message` text DEFAULT '' NOT NULL,
	`mail_state` text,
	`role_id` integer,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`expires_at` integer NOT NULL,
	`responded_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`inviter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invitee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_org_invitations`("id", "org_id", "inviter_id", "invitee_id", "role_id", "status", "expires_at", "responded_at", "created_at") SELECT "id", "org_id", "inviter_id", "invitee_id", "role_id", "status", "expires_at", "responded_at", "created_at" FROM `org_invitations`;

DELETE FROM sqlite_sequence WHERE name = '__new_org_invitations';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_org_invitations', seq FROM sqlite_sequence WHERE name = 'org_invitations';

DROP TABLE `org_invitations`;

ALTER TABLE `__new_org_invitations` RENAME TO `org_invitations`;

CREATE UNIQUE INDEX `org_invitations_open` ON `org_invitations` (`org_id`,`invitee_id`) WHERE status = 'PENDING';

CREATE INDEX `org_invitations_list` ON `org_invitations` (`org_id`,"id" desc);

CREATE INDEX `org_invitations_invitee` ON `org_invitations` (`invitee_id`,"id" desc);

CREATE UNIQUE INDEX `org_invitations_open_email` ON `org_invitations` (`org_id`,`email`) WHERE status = 'PENDING' AND email IS NOT NULL;

CREATE UNIQUE INDEX `org_invitations_token` ON `org_invitations` (`token_hash`) WHERE token_hash IS NOT NULL;

CREATE INDEX `org_invitations_waiting` ON `org_invitations` (`id`) WHERE mail_state = 'WAITING';

ALTER TABLE `users` ADD `password_is_initial` integer DEFAULT false NOT NULL;
