-- EXPAND 0.1.0

CREATE TABLE `asset_import_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`user_name` text NOT NULL,
	`file_name` text NOT NULL,
	`created` integer DEFAULT 0 NOT NULL,
	`updated` integer DEFAULT 0 NOT NULL,
	`unchanged` integer DEFAULT 0 NOT NULL,
	`undoable` integer DEFAULT false NOT NULL,
	`categories` text NOT NULL,
	`undone_at` integer,
	`undo` text,
	`created_at` integer NOT NULL
);

CREATE INDEX `asset_import_runs_list` ON `asset_import_runs` (`owner`,`created_at`,`id`);

CREATE INDEX `asset_import_runs_old` ON `asset_import_runs` (`created_at`);

CREATE TABLE `asset_import_snapshots` (
	`import_id` integer NOT NULL,
	`part` integer NOT NULL,
	`owner` integer NOT NULL,
	`rows` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`import_id`, `part`)
);

CREATE INDEX `asset_import_snapshots_old` ON `asset_import_snapshots` (`created_at`);

CREATE INDEX `asset_import_snapshots_owner` ON `asset_import_snapshots` (`owner`);
