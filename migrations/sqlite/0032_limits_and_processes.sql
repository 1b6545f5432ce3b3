CREATE TABLE `processes` (
	`id` text PRIMARY KEY NOT NULL,
	`backend` integer NOT NULL,
	`report` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);

ALTER TABLE `counters` ADD `granted` integer DEFAULT 0 NOT NULL;
