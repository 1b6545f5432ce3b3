-- EXPAND 0.1.0

CREATE TABLE `activity_gates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`name` text NOT NULL,
	`list_ids` text,
	`show_names` integer NOT NULL,
	`can_undo` integer NOT NULL,
	`can_search` integer NOT NULL,
	`direction` text NOT NULL,
	`max_devices` integer NOT NULL,
	`device_count` integer DEFAULT 0 NOT NULL,
	`expires_at` integer,
	`secret_hash` text NOT NULL,
	`secret` text NOT NULL,
	`revoked_at` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `activity_gates_secret` ON `activity_gates` (`secret_hash`);

CREATE INDEX `activity_gates_list` ON `activity_gates` (`activity_id`,`id`);

CREATE TABLE `gate_devices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`gate_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`admitted` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL,
	`searches` integer DEFAULT 0 NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ended_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`gate_id`) REFERENCES `activity_gates`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `gate_devices_token` ON `gate_devices` (`token_hash`);

CREATE UNIQUE INDEX `gate_devices_device` ON `gate_devices` (`gate_id`,`device_key`) WHERE "gate_devices"."ended_at" is null;

CREATE INDEX `gate_devices_gate` ON `gate_devices` (`gate_id`,`id`);

ALTER TABLE `pass_uses` ADD `gate_id` integer;

ALTER TABLE `pass_uses` ADD `gate_device_id` integer;

ALTER TABLE `pass_uses` ADD `undone_by_gate_id` integer;
