CREATE TABLE `admin_logs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`actor_id` integer NOT NULL,
	`actor_name` text NOT NULL,
	`action` text NOT NULL,
	`target_type` text NOT NULL,
	`target_id` integer,
	`target_name` text,
	`before` text,
	`after` text,
	`ip_address` text NOT NULL,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`hash` text NOT NULL,
	`previous_hash` text NOT NULL,
	`signature` text NOT NULL
);

CREATE INDEX `admin_logs_created` ON `admin_logs` (`created_at`);

CREATE INDEX `admin_logs_actor` ON `admin_logs` (`actor_id`,`id`);

CREATE INDEX `admin_logs_target` ON `admin_logs` (`target_type`,`target_id`,`id`);

CREATE TABLE `known_devices` (
	`user_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`removed_at` integer,
	PRIMARY KEY(`user_id`, `device_key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

ALTER TABLE `login_records` ADD `is_reported` integer DEFAULT false NOT NULL;

ALTER TABLE `login_records` ADD `network` text DEFAULT '' NOT NULL;

CREATE INDEX `login_records_network` ON `login_records` (`network`,`id`) WHERE "login_records"."user_id" = 0;

INSERT INTO known_devices (user_id, device_key, first_seen_at, last_seen_at)
SELECT user_id, device_key, created_at, last_active_at FROM sessions
WHERE device_key <> '' AND login_type <> 'register_device';

-- Clients could invent these records, so their devices count as removed: they only show that the account was used before.
INSERT INTO known_devices (user_id, device_key, first_seen_at, last_seen_at, removed_at)
SELECT user_id, device_key, min(created_at), max(created_at), max(created_at)
FROM login_records
WHERE status = 'success' AND device_key <> '' AND user_id IN (SELECT id FROM users)
GROUP BY user_id, device_key
ON CONFLICT DO NOTHING;

CREATE TRIGGER admin_logs_no_update BEFORE UPDATE ON admin_logs
BEGIN SELECT RAISE(ABORT, 'rows of admin_logs cannot be changed'); END;

CREATE TRIGGER admin_logs_no_delete BEFORE DELETE ON admin_logs
BEGIN SELECT RAISE(ABORT, 'rows of admin_logs cannot be deleted'); END;
