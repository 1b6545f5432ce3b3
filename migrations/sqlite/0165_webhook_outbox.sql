-- EXPAND 0.1.0

CREATE TABLE `webhook_outbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`webhook_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
);
