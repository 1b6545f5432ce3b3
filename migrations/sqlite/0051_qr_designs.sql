-- EXPAND 0.1.0

CREATE TABLE `qr_designs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`look` text NOT NULL,
	`look_version` integer DEFAULT 1 NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE INDEX `qr_designs_list` ON `qr_designs` (`owner`,`name`,`id`);

CREATE UNIQUE INDEX `qr_designs_default` ON `qr_designs` (`owner`) WHERE "qr_designs"."is_default";

CREATE TABLE `qr_pictures` (
	`key` text PRIMARY KEY NOT NULL,
	`qr_code_id` integer NOT NULL,
	`design_id` integer NOT NULL,
	`look_version` integer NOT NULL,
	`source` text NOT NULL,
	`look` text NOT NULL,
	`replaced_at` integer
);

CREATE INDEX `qr_pictures_code` ON `qr_pictures` (`qr_code_id`);

CREATE INDEX `qr_pictures_design` ON `qr_pictures` (`design_id`,`look_version`,`qr_code_id`) WHERE "qr_pictures"."replaced_at" is null;

CREATE INDEX `qr_pictures_replaced` ON `qr_pictures` (`replaced_at`) WHERE "qr_pictures"."replaced_at" is not null;

ALTER TABLE `qr_codes` ADD `picture_key` text;
