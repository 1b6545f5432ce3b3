-- EXPAND 0.1.0

CREATE TABLE `content_erasures` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `data_exports` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_by` integer NOT NULL,
	`with_files` integer NOT NULL,
	`language` text NOT NULL,
	`state` text NOT NULL,
	`slot` integer,
	`lease` text DEFAULT '' NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`progress` integer DEFAULT 0 NOT NULL,
	`bytes` integer,
	`blob_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `data_exports_slot` ON `data_exports` (`slot`) WHERE "data_exports"."slot" is not null;

CREATE UNIQUE INDEX `data_exports_open` ON `data_exports` (`user_id`,`created_by`) WHERE state in ('QUEUED', 'RUNNING');

CREATE INDEX `data_exports_user` ON `data_exports` (`user_id`,`created_by`,`created_at`);

CREATE INDEX `data_exports_creator` ON `data_exports` (`created_by`);

CREATE INDEX `data_exports_state` ON `data_exports` (`state`,`created_at`);

CREATE INDEX `data_exports_expiry` ON `data_exports` (`expires_at`);

CREATE INDEX `data_exports_blob` ON `data_exports` (`blob_id`);
