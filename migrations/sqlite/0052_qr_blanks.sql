-- EXPAND 0.1.0

CREATE TABLE `qr_batches` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`digits` integer NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`bound` integer DEFAULT 0 NOT NULL,
	`voided` integer DEFAULT 0 NOT NULL,
	`design_id` integer,
	`request_id` text,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `qr_batches_numbers` ON `qr_batches` (`owner`,`prefix`,`last`);

CREATE UNIQUE INDEX `qr_batches_request` ON `qr_batches` (`owner`,`request_id`) WHERE "qr_batches"."request_id" is not null;

CREATE INDEX `qr_batches_list` ON `qr_batches` (`owner`,"id" desc);

CREATE TABLE `qr_blanks` (
	`slug` text PRIMARY KEY NOT NULL,
	`batch_id` integer NOT NULL,
	`owner` integer NOT NULL,
	`nth` integer NOT NULL,
	`number` text NOT NULL,
	`status` text DEFAULT 'FREE' NOT NULL,
	`kind` text,
	`target_id` integer,
	`bound_by` integer,
	`bound_at` integer,
	`scan_count` integer DEFAULT 0 NOT NULL
);

CREATE UNIQUE INDEX `qr_blanks_number` ON `qr_blanks` (`owner`,`number`);

CREATE INDEX `qr_blanks_list` ON `qr_blanks` (`owner`,"batch_id" desc,`nth`);

CREATE INDEX `qr_blanks_target` ON `qr_blanks` (`kind`,`target_id`) WHERE "qr_blanks"."target_id" is not null;

ALTER TABLE `list_totals` ADD `held` integer DEFAULT 0 NOT NULL;
