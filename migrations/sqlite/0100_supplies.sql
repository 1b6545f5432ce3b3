-- EXPAND 0.1.0

CREATE TABLE `supplies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`supply_no` text NOT NULL,
	`supply_no_key` text NOT NULL,
	`kind` text NOT NULL,
	`category_id` integer,
	`unit` text NOT NULL,
	`price` integer,
	`supplier` text DEFAULT '' NOT NULL,
	`remark` text DEFAULT '' NOT NULL,
	`photo_ids` text NOT NULL,
	`minimum` integer,
	`target` integer,
	`keeper_ids` text NOT NULL,
	`self_service` integer DEFAULT false NOT NULL,
	`max_per_take` integer DEFAULT 10 NOT NULL,
	`stock` integer DEFAULT 0 NOT NULL,
	`lent` integer DEFAULT 0 NOT NULL,
	`low_since` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `supplies_uuid` ON `supplies` (`uuid`);

CREATE UNIQUE INDEX `supplies_number` ON `supplies` (`owner`,`supply_no_key`) WHERE "supplies"."deleted_at" is null;

CREATE INDEX `supplies_all` ON `supplies` (`created_at`,`id`) WHERE "supplies"."deleted_at" is null;

CREATE INDEX `supplies_user` ON `supplies` (`user_id`);

CREATE INDEX `supplies_name` ON `supplies` (`owner`,`deleted_at`,`name`,`created_at`,`id`);

CREATE INDEX `supplies_no` ON `supplies` (`owner`,`deleted_at`,`supply_no`,`created_at`,`id`);

CREATE INDEX `supplies_stock` ON `supplies` (`owner`,`deleted_at`,`stock`,`created_at`,`id`);

CREATE INDEX `supplies_updated` ON `supplies` (`owner`,`deleted_at`,`updated_at`,`created_at`,`id`);

CREATE INDEX `supplies_category` ON `supplies` (`owner`,`category_id`);

CREATE INDEX `supplies_low` ON `supplies` (`owner`,`id`) WHERE "supplies"."deleted_at" is null and "supplies"."low_since" is not null;

CREATE TABLE `supply_loans` (
	`supply_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name_key` text NOT NULL,
	`person_name` text NOT NULL,
	`quantity` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`supply_id`, `user_id`, `name_key`),
	FOREIGN KEY (`supply_id`) REFERENCES `supplies`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `supply_loans_user` ON `supply_loans` (`user_id`,`supply_id`) WHERE "supply_loans"."user_id" <> 0;

CREATE TABLE `supply_movements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`supply_id` integer NOT NULL,
	`type` text NOT NULL,
	`quantity` integer NOT NULL,
	`difference` integer NOT NULL,
	`stock_after` integer NOT NULL,
	`location_id` integer,
	`to_location_id` integer,
	`user_id` integer,
	`person_name` text DEFAULT '' NOT NULL,
	`price` integer,
	`note` text DEFAULT '' NOT NULL,
	`due_at` integer,
	`operator_id` integer NOT NULL,
	`operator_name` text NOT NULL,
	`reverses` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`supply_id`) REFERENCES `supplies`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `supply_movements_owner` ON `supply_movements` (`owner`,`id`);

CREATE INDEX `supply_movements_supply` ON `supply_movements` (`supply_id`,`id`);

CREATE INDEX `supply_movements_user` ON `supply_movements` (`owner`,`user_id`,`id`) WHERE "supply_movements"."user_id" is not null;

CREATE INDEX `supply_movements_person` ON `supply_movements` (`user_id`) WHERE "supply_movements"."user_id" is not null and "supply_movements"."person_name" <> '';

CREATE INDEX `supply_movements_operator` ON `supply_movements` (`operator_id`) WHERE "supply_movements"."operator_name" <> '';

CREATE UNIQUE INDEX `supply_movements_reverses` ON `supply_movements` (`reverses`) WHERE "supply_movements"."reverses" is not null;

CREATE TABLE `supply_numbers` (
	`owner` integer PRIMARY KEY NOT NULL,
	`next` integer NOT NULL
);

CREATE TABLE `supply_places` (
	`supply_id` integer NOT NULL,
	`location_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	PRIMARY KEY(`supply_id`, `location_id`),
	FOREIGN KEY (`supply_id`) REFERENCES `supplies`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `supply_places_location` ON `supply_places` (`location_id`);

CREATE TABLE `supply_requests` (
	`user_id` integer NOT NULL,
	`request_id` text NOT NULL,
	`movement_ids` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `request_id`)
);

CREATE INDEX `supply_requests_age` ON `supply_requests` (`created_at`);
