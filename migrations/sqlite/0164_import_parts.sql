-- EXPAND 0.1.0

CREATE TABLE `held_names` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`import_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `name`),
	FOREIGN KEY (`import_id`) REFERENCES `user_imports`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `held_names_import` ON `held_names` (`import_id`);

CREATE TABLE `user_import_parts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`contents` text NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `user_imports`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `user_import_parts_import` ON `user_import_parts` (`import_id`);

CREATE TABLE `user_imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_by` integer NOT NULL,
	`is_foreign` integer NOT NULL,
	`is_accepted` integer DEFAULT false NOT NULL
);
