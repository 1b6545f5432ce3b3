-- EXPAND 0.1.0

CREATE TABLE `supply_import_snapshots` (
	`import_id` integer NOT NULL,
	`part` integer NOT NULL,
	`owner` integer NOT NULL,
	`rows` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`import_id`, `part`)
);

CREATE INDEX `supply_import_snapshots_age` ON `supply_import_snapshots` (`created_at`);

CREATE TABLE `supply_imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`user_name` text NOT NULL,
	`file_name` text NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`unchanged` integer NOT NULL,
	`undone_at` integer,
	`undo` text,
	`created_at` integer NOT NULL
);

CREATE INDEX `supply_imports_owner` ON `supply_imports` (`owner`,`created_at`,`id`);

CREATE INDEX `supply_imports_age` ON `supply_imports` (`created_at`);
