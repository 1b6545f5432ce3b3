CREATE TABLE `asset_calendars` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`owner` integer NOT NULL,
	`secret_hash` text NOT NULL,
	`locale` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `asset_calendars_user` ON `asset_calendars` (`user_id`,`owner`);

CREATE UNIQUE INDEX `asset_calendars_secret` ON `asset_calendars` (`secret_hash`);

CREATE TABLE `asset_categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`color` text DEFAULT '' NOT NULL,
	`shared` integer DEFAULT false NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_categories_tree` ON `asset_categories` (`owner`,`deleted_at`,`parent_id`);

CREATE TABLE `asset_category_templates` (
	`category_id` integer NOT NULL,
	`template_id` integer NOT NULL,
	`position` integer NOT NULL,
	`is_default` integer NOT NULL,
	PRIMARY KEY(`category_id`, `template_id`),
	FOREIGN KEY (`category_id`) REFERENCES `asset_categories`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_category_templates_template` ON `asset_category_templates` (`template_id`);

CREATE TABLE `asset_clean_ups` (
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`owner`, `user_id`)
);

CREATE TABLE `asset_imports` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`state` text NOT NULL,
	`processed` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`result` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_imports_user` ON `asset_imports` (`user_id`,`created_at`);

CREATE TABLE `asset_loans` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`user_id` integer,
	`person_name` text,
	`due_at` integer,
	`note` text DEFAULT '' NOT NULL,
	`condition` text,
	`return_note` text DEFAULT '' NOT NULL,
	`checked_out_at` integer NOT NULL,
	`checked_in_at` integer,
	`operator_id` integer NOT NULL,
	`announced_at` integer,
	`reminded_at` integer,
	FOREIGN KEY (`asset_id`) REFERENCES `assets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `asset_loans_open` ON `asset_loans` (`asset_id`) WHERE "asset_loans"."checked_in_at" is null;

CREATE INDEX `asset_loans_list` ON `asset_loans` (`owner`,`id`);

CREATE INDEX `asset_loans_asset` ON `asset_loans` (`asset_id`,`id`);

CREATE INDEX `asset_loans_user` ON `asset_loans` (`user_id`) WHERE "asset_loans"."user_id" is not null;

CREATE INDEX `asset_loans_unreturned` ON `asset_loans` (`owner`,`id`) WHERE "asset_loans"."checked_in_at" is null;

CREATE INDEX `asset_loans_soon` ON `asset_loans` (`due_at`) WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."announced_at" is null;

CREATE INDEX `asset_loans_due` ON `asset_loans` (`due_at`) WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."reminded_at" is null;

CREATE TABLE `asset_map_cells` (
	`owner` integer NOT NULL,
	`level` integer NOT NULL,
	`cell` integer NOT NULL,
	`count` integer NOT NULL,
	`latitudes` real NOT NULL,
	`longitudes` real NOT NULL,
	PRIMARY KEY(`owner`, `level`, `cell`)
);

CREATE TABLE `asset_numbers` (
	`owner` integer PRIMARY KEY NOT NULL,
	`next` integer NOT NULL
);

CREATE TABLE `asset_places` (
	`owner` integer NOT NULL,
	`cell` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	PRIMARY KEY(`owner`, `cell`, `asset_id`)
);

CREATE TABLE `asset_transfers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`asset_id` integer NOT NULL,
	`from_user_id` integer,
	`from_user_name` text,
	`to_user_id` integer,
	`to_user_name` text,
	`from_location_id` integer,
	`from_location_name` text,
	`to_location_id` integer,
	`to_location_name` text,
	`from_org_id` integer,
	`to_org_id` integer,
	`note` text DEFAULT '' NOT NULL,
	`operator_id` integer NOT NULL,
	`operator_name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`asset_id`) REFERENCES `assets`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_transfers_asset` ON `asset_transfers` (`asset_id`,"id" desc);

CREATE TABLE `asset_warranty_reminders` (
	`asset_id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL
);

CREATE TABLE `assets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`asset_no` text NOT NULL,
	`asset_no_key` text NOT NULL,
	`category_id` integer,
	`brand` text DEFAULT '' NOT NULL,
	`model` text DEFAULT '' NOT NULL,
	`serial_no` text DEFAULT '' NOT NULL,
	`purchase_date` text,
	`purchase_price` integer,
	`supplier` text DEFAULT '' NOT NULL,
	`warranty_expiry` text,
	`remark` text DEFAULT '' NOT NULL,
	`status` text DEFAULT 'IN_USE' NOT NULL,
	`location_id` integer,
	`custodian_id` integer,
	`photo_ids` text NOT NULL,
	`latitude` real,
	`longitude` real,
	`public_fields` text NOT NULL,
	`scrapped_at` integer,
	`scrap_reason` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`custodian_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `assets_uuid` ON `assets` (`uuid`);

CREATE UNIQUE INDEX `assets_number` ON `assets` (`owner`,`asset_no_key`) WHERE "assets"."deleted_at" is null;

CREATE INDEX `assets_all` ON `assets` (`deleted_at`,`created_at`,`id`);

CREATE INDEX `assets_user` ON `assets` (`user_id`,`deleted_at`,`created_at`,`id`);

CREATE INDEX `assets_created` ON `assets` (`owner`,`deleted_at`,`created_at`,`id`);

CREATE INDEX `assets_updated` ON `assets` (`owner`,`deleted_at`,`updated_at`,`created_at`,`id`);

CREATE INDEX `assets_name` ON `assets` (`owner`,`deleted_at`,`name`,`created_at`,`id`);

CREATE INDEX `assets_no` ON `assets` (`owner`,`deleted_at`,`asset_no`,`created_at`,`id`);

CREATE INDEX `assets_status` ON `assets` (`owner`,`deleted_at`,`status`,`created_at`,`id`);

CREATE INDEX `assets_price` ON `assets` (`owner`,`deleted_at`,`purchase_price`,`created_at`,`id`);

CREATE INDEX `assets_purchase` ON `assets` (`owner`,`deleted_at`,`purchase_date`,`created_at`,`id`);

CREATE INDEX `assets_warranty` ON `assets` (`owner`,`deleted_at`,`warranty_expiry`,`created_at`,`id`);

CREATE INDEX `assets_category` ON `assets` (`owner`,`deleted_at`,`category_id`,`created_at`,`id`);

CREATE INDEX `assets_location` ON `assets` (`owner`,`deleted_at`,`location_id`,`created_at`,`id`);

CREATE INDEX `assets_custodian` ON `assets` (`owner`,`deleted_at`,`custodian_id`,`created_at`,`id`);

CREATE INDEX `assets_custodian_user` ON `assets` (`custodian_id`) WHERE "assets"."custodian_id" is not null;

CREATE INDEX `assets_serial` ON `assets` (`owner`,`deleted_at`,`serial_no`);

CREATE INDEX `assets_warranty_end` ON `assets` (`warranty_expiry`,`id`) WHERE "assets"."deleted_at" is null and "assets"."warranty_expiry" is not null;

CREATE TABLE `inventories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`status` text DEFAULT 'DRAFT' NOT NULL,
	`assignee_ids` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`expected` integer DEFAULT 0 NOT NULL,
	`found` integer DEFAULT 0 NOT NULL,
	`unexpected` integer DEFAULT 0 NOT NULL,
	`misplaced` integer DEFAULT 0 NOT NULL,
	`created_by` integer NOT NULL,
	`started_at` integer,
	`closed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `inventories_list` ON `inventories` (`owner`,`created_at`,`id`);

CREATE TABLE `inventory_items` (
	`inventory_id` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`state` text NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`asset_no` text NOT NULL,
	`expected_location_id` integer,
	`location_id` integer,
	`condition` text,
	`note` text DEFAULT '' NOT NULL,
	`photo_file_id` integer,
	`scanned_by` integer,
	`scanned_at` integer,
	PRIMARY KEY(`inventory_id`, `asset_id`),
	FOREIGN KEY (`inventory_id`) REFERENCES `inventories`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `inventory_items_state` ON `inventory_items` (`inventory_id`,`state`,`asset_id`);

CREATE TABLE `meta_bindings` (
	`object_name` text NOT NULL,
	`entity_id` integer NOT NULL,
	`template_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`object_name`, `entity_id`, `template_id`),
	FOREIGN KEY (`template_id`) REFERENCES `meta_templates`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `meta_bindings_template` ON `meta_bindings` (`template_id`);

CREATE TABLE `meta_fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_name` text NOT NULL,
	`owner` integer NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`entity_column` text,
	`config` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`object_name`) REFERENCES `meta_objects`(`name`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `meta_fields_key` ON `meta_fields` (`object_name`,`owner`,`key`) WHERE deleted_at is null;

CREATE UNIQUE INDEX `meta_fields_column` ON `meta_fields` (`object_name`,`entity_column`) WHERE entity_column is not null and deleted_at is null;

CREATE INDEX `meta_fields_list` ON `meta_fields` (`object_name`,`owner`,`deleted_at`,`sort_order`,`id`);

CREATE TABLE `meta_formula_uses` (
	`field_id` integer NOT NULL,
	`uses_id` integer NOT NULL,
	PRIMARY KEY(`field_id`, `uses_id`),
	FOREIGN KEY (`field_id`) REFERENCES `meta_fields`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`uses_id`) REFERENCES `meta_fields`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `meta_formula_uses_used` ON `meta_formula_uses` (`uses_id`);

CREATE TABLE `meta_objects` (
	`name` text PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`built_in` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `meta_purges` (
	`object_name` text NOT NULL,
	`target` integer NOT NULL,
	PRIMARY KEY(`object_name`, `target`)
);

CREATE TABLE `meta_removed_owners` (
	`owner` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `meta_template_fields` (
	`template_id` integer NOT NULL,
	`field_id` integer NOT NULL,
	`position` integer NOT NULL,
	`group_name` text DEFAULT '' NOT NULL,
	`required` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`template_id`, `field_id`),
	FOREIGN KEY (`template_id`) REFERENCES `meta_templates`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`field_id`) REFERENCES `meta_fields`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `meta_template_fields_field` ON `meta_template_fields` (`field_id`);

CREATE TABLE `meta_templates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_name` text NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`source_id` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`object_name`) REFERENCES `meta_objects`(`name`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `meta_templates_default` ON `meta_templates` (`object_name`,`owner`) WHERE "meta_templates"."is_default" and "meta_templates"."deleted_at" is null;

CREATE INDEX `meta_templates_list` ON `meta_templates` (`object_name`,`owner`,`deleted_at`,`id`);

CREATE TABLE `meta_values` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_name` text NOT NULL,
	`entity_id` integer NOT NULL,
	`field_id` integer NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`owner` integer NOT NULL,
	`text` text,
	`key` text,
	`number` real,
	FOREIGN KEY (`field_id`) REFERENCES `meta_fields`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `meta_values_entity` ON `meta_values` (`object_name`,`entity_id`,`field_id`,`position`);

CREATE INDEX `meta_values_number` ON `meta_values` (`field_id`,`owner`,`number`,`entity_id`);

CREATE INDEX `meta_values_key` ON `meta_values` (`owner`,`field_id`,`key`,`entity_id`);
