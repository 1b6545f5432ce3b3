CREATE TABLE `org_locations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`latitude` real,
	`longitude` real,
	`pinned` integer DEFAULT false NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `org_locations_tree` ON `org_locations` (`org_id`,`parent_id`);

CREATE TABLE `org_shares` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`entity_type` text NOT NULL,
	`source_id` integer NOT NULL,
	`qr_code_id` integer,
	`shared_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`shared_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `org_shares_qr_code` ON `org_shares` (`qr_code_id`);

CREATE INDEX `org_shares_list` ON `org_shares` (`org_id`,"id" desc);
