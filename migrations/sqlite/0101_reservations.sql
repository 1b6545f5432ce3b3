-- EXPAND 0.1.0

CREATE TABLE `asset_reservation_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reservation_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`asset_id` integer,
	`supply_id` integer,
	`quantity` integer NOT NULL,
	`category_id` integer,
	`name` text NOT NULL,
	`asset_no` text NOT NULL,
	`state` text DEFAULT 'WAITING' NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`busy_until` integer,
	`loan_id` integer,
	`lost_at` integer,
	FOREIGN KEY (`reservation_id`) REFERENCES `asset_reservations`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_reservation_items_reservation` ON `asset_reservation_items` (`reservation_id`,`id`);

CREATE INDEX `asset_reservation_items_asset` ON `asset_reservation_items` (`asset_id`,`reservation_id`) WHERE "asset_reservation_items"."asset_id" is not null;

CREATE INDEX `asset_reservation_items_supply` ON `asset_reservation_items` (`supply_id`,`reservation_id`) WHERE "asset_reservation_items"."supply_id" is not null;

CREATE INDEX `asset_reservation_items_busy` ON `asset_reservation_items` (`asset_id`,`busy_until`,`starts_at`) WHERE "asset_reservation_items"."busy_until" is not null and "asset_reservation_items"."asset_id" is not null;

CREATE INDEX `asset_reservation_items_pool` ON `asset_reservation_items` (`supply_id`,`busy_until`,`starts_at`) WHERE "asset_reservation_items"."busy_until" is not null and "asset_reservation_items"."supply_id" is not null;

CREATE INDEX `asset_reservation_items_times` ON `asset_reservation_items` (`org_id`,`busy_until`,`starts_at`) WHERE "asset_reservation_items"."busy_until" is not null;

CREATE INDEX `asset_reservation_items_lost` ON `asset_reservation_items` (`lost_at`) WHERE "asset_reservation_items"."lost_at" is not null;

CREATE TABLE `asset_reservations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`status` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`user_id` integer,
	`user_name` text,
	`person_name` text,
	`purpose` text DEFAULT '' NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`decided_by` integer,
	`created_by` integer NOT NULL,
	`expires_at` integer,
	`announce_at` integer,
	`request_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_reservations_list` ON `asset_reservations` (`org_id`,`id`);

CREATE INDEX `asset_reservations_status` ON `asset_reservations` (`org_id`,`status`,`id`);

CREATE INDEX `asset_reservations_mine` ON `asset_reservations` (`org_id`,`user_id`,`id`) WHERE "asset_reservations"."user_id" is not null;

CREATE INDEX `asset_reservations_user` ON `asset_reservations` (`user_id`,`status`) WHERE "asset_reservations"."user_id" is not null;

CREATE INDEX `asset_reservations_all` ON `asset_reservations` (`created_at`,`id`);

CREATE INDEX `asset_reservations_expiry` ON `asset_reservations` (`expires_at`,`id`) WHERE "asset_reservations"."expires_at" is not null;

CREATE INDEX `asset_reservations_announce` ON `asset_reservations` (`announce_at`,`id`) WHERE "asset_reservations"."announce_at" is not null;

CREATE UNIQUE INDEX `asset_reservations_request` ON `asset_reservations` (`created_by`,`request_id`) WHERE "asset_reservations"."request_id" is not null;

ALTER TABLE `asset_categories` ADD `booking` text;

ALTER TABLE `asset_loans` ADD `reservation_id` integer;

ALTER TABLE `asset_loans` ADD `notice_at` integer;

ALTER TABLE `asset_loans` ADD `overdue_notices` integer DEFAULT 0 NOT NULL;

CREATE INDEX `asset_loans_notice` ON `asset_loans` (`notice_at`) WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."notice_at" is not null;

CREATE INDEX `asset_loans_reservation` ON `asset_loans` (`reservation_id`) WHERE "asset_loans"."reservation_id" is not null;

ALTER TABLE `assets` ADD `bookable` integer;
