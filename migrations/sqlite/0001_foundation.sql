CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`color` text DEFAULT '' NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `categories_user` ON `categories` (`user_id`,`parent_id`);

CREATE TABLE `counters` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`window_start` integer NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE TABLE `identities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`provider` text NOT NULL,
	`credential` text NOT NULL,
	`verified` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `identities_provider_credential` ON `identities` (`provider`,`credential`);

CREATE INDEX `identities_user` ON `identities` (`user_id`);

CREATE TABLE `login_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`device_key` text DEFAULT '' NOT NULL,
	`device_name` text DEFAULT '' NOT NULL,
	`ip_address` text DEFAULT '' NOT NULL,
	`city` text DEFAULT '' NOT NULL,
	`login_type` text NOT NULL,
	`status` text NOT NULL,
	`failure_reason` text,
	`created_at` integer NOT NULL
);

CREATE INDEX `login_records_user` ON `login_records` (`user_id`,`id`);

CREATE INDEX `login_records_type` ON `login_records` (`login_type`,`id`);

CREATE INDEX `login_records_created` ON `login_records` (`created_at`);

CREATE TABLE `password_tries` (
	`key` text PRIMARY KEY NOT NULL,
	`tried_at` text NOT NULL,
	`locked_until` integer NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `password_tries_expiry` ON `password_tries` (`expires_at`);

CREATE TABLE `rbac_permissions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`domain` text NOT NULL,
	`resource` text NOT NULL,
	`action` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`enabled` integer DEFAULT true NOT NULL
);

CREATE UNIQUE INDEX `rbac_permissions_point` ON `rbac_permissions` (`domain`,`resource`,`action`);

CREATE TABLE `qr_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`name` text NOT NULL,
	`content` text NOT NULL,
	`content_type` text NOT NULL,
	`category_id` integer,
	`tags` text NOT NULL,
	`remark` text DEFAULT '' NOT NULL,
	`style` text NOT NULL,
	`is_public` integer DEFAULT false NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`scan_count` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `qr_codes_uuid` ON `qr_codes` (`uuid`);

CREATE INDEX `qr_codes_list` ON `qr_codes` (`user_id`,`org_id`,`deleted_at`,"pinned" desc,`sort_order`,`created_at`,`id`);

CREATE INDEX `qr_codes_stats` ON `qr_codes` (`user_id`,`org_id`,`deleted_at`,`category_id`,`content_type`,`created_at`);

CREATE INDEX `qr_codes_org` ON `qr_codes` (`org_id`);

CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`generation` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);

CREATE INDEX `refresh_tokens_expiry` ON `refresh_tokens` (`expires_at`);

CREATE TABLE `rbac_role_permissions` (
	`role_id` integer NOT NULL,
	`permission_id` integer NOT NULL,
	PRIMARY KEY(`role_id`, `permission_id`),
	FOREIGN KEY (`role_id`) REFERENCES `rbac_roles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`permission_id`) REFERENCES `rbac_permissions`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `rbac_roles` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`domain` text NOT NULL,
	`scope_id` integer DEFAULT 0 NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`is_system` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `rbac_roles_code` ON `rbac_roles` (`domain`,`scope_id`,`code`);

CREATE TABLE `scan_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`content` text NOT NULL,
	`content_type` text NOT NULL,
	`source` text NOT NULL,
	`qr_code_id` integer,
	`title` text,
	`favorite` integer DEFAULT false NOT NULL,
	`latitude` real,
	`longitude` real,
	`address` text,
	`scanned_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `scan_records_list` ON `scan_records` (`user_id`,"scanned_at" desc,"id" desc);

CREATE INDEX `scan_records_code` ON `scan_records` (`qr_code_id`);

CREATE TABLE `server_state` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);

CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`device_name` text DEFAULT '' NOT NULL,
	`login_type` text NOT NULL,
	`ip_address` text DEFAULT '' NOT NULL,
	`city` text DEFAULT '' NOT NULL,
	`status` text DEFAULT 'ACTIVE' NOT NULL,
	`expired_at` integer NOT NULL,
	`last_active_at` integer NOT NULL,
	`generation` integer DEFAULT 0 NOT NULL,
	`rotated_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `sessions_user_device` ON `sessions` (`user_id`,`device_key`);

CREATE INDEX `sessions_user_active` ON `sessions` (`user_id`,`status`,`last_active_at`);

CREATE INDEX `sessions_expiry` ON `sessions` (`status`,`expired_at`);

CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE TABLE `rbac_user_roles` (
	`user_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`is_initial` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `role_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`role_id`) REFERENCES `rbac_roles`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `rbac_user_roles_role` ON `rbac_user_roles` (`role_id`);

CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text,
	`username_key` text,
	`nickname` text NOT NULL,
	`signature` text,
	`avatar_url` text,
	`password_hash` text,
	`token_version` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'ACTIVE' NOT NULL,
	`current_org_id` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `users_username_key` ON `users` (`username_key`);
