-- EXPAND 0.1.0

CREATE TABLE `check_in_lists` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`place` text DEFAULT '' NOT NULL,
	`opens_at` integer,
	`closes_at` integer,
	`max_uses` integer DEFAULT 1 NOT NULL,
	`template_ids` text NOT NULL,
	`requires_entry` integer DEFAULT false NOT NULL,
	`sort_order` integer NOT NULL,
	`admitted` integer DEFAULT 0 NOT NULL,
	`inside` integer DEFAULT 0 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL
);

CREATE INDEX `check_in_lists_activity` ON `check_in_lists` (`activity_id`,`deleted_at`,`sort_order`,`id`);

CREATE TABLE `pass_list_uses` (
	`activity_id` integer NOT NULL,
	`pass_id` integer NOT NULL,
	`list_id` integer NOT NULL,
	`used_count` integer NOT NULL,
	`is_inside` integer NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`activity_id`, `pass_id`, `list_id`)
);

ALTER TABLE `pass_uses` ADD `list_id` integer;

CREATE INDEX `pass_uses_list` ON `pass_uses` (`list_id`,`used_at`,`created_at`,`id`) WHERE "pass_uses"."list_id" is not null;

CREATE INDEX `pass_uses_pass_list` ON `pass_uses` (`pass_id`,`list_id`,`used_at`,`created_at`,`id`) WHERE "pass_uses"."list_id" is not null;

CREATE INDEX `passes_templates` ON `passes` (`activity_id`,`created_at`,`id`) WHERE "passes"."template_id" is not null;
