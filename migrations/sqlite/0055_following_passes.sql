-- EXPAND 0.1.0

CREATE TABLE `activity_batches` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`request_id` text,
	`fingerprint` text NOT NULL,
	`matched` integer,
	`unchanged` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`after` integer DEFAULT 0 NOT NULL,
	`lease` text,
	`lease_until` integer NOT NULL,
	`finished_at` integer,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `activity_batches_request` ON `activity_batches` (`activity_id`,`user_id`,`request_id`) WHERE "activity_batches"."request_id" is not null;

CREATE UNIQUE INDEX `activity_batches_running` ON `activity_batches` (`activity_id`) WHERE "activity_batches"."lease" is not null;

CREATE INDEX `activity_batches_activity` ON `activity_batches` (`activity_id`);

CREATE INDEX `activity_batches_created` ON `activity_batches` (`created_at`);

CREATE TABLE `pass_changes` (
	`pass_id` integer PRIMARY KEY NOT NULL,
	`activity_id` integer NOT NULL,
	`changed_at` integer NOT NULL
);

CREATE INDEX `pass_changes_activity` ON `pass_changes` (`activity_id`,`changed_at`,`pass_id`);

ALTER TABLE `passes` ADD `follows_activity` integer DEFAULT false NOT NULL;

-- Passes with the end of their activity follow it. Of the expired ones of a holder, only the newest, and none if the holder has a live one.
UPDATE passes SET follows_activity = TRUE, expired_at = NULL, live_holder_id = holder_user_id
  WHERE revoked_at IS NULL AND deleted_at IS NULL
    AND valid_to = (SELECT a.end_time FROM activities a WHERE a.id = passes.activity_id)
    AND (holder_user_id IS NULL OR live_holder_id IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM passes other
        WHERE other.holder_user_id = passes.holder_user_id AND other.activity_id = passes.activity_id AND other.revoked_at IS NULL
          AND (other.live_holder_id IS NOT NULL OR (other.id > passes.id AND other.valid_to = passes.valid_to))));

-- Their codes were printed with an end. The times differ, so that the lists of gates can be read in parts.
INSERT INTO pass_changes (pass_id, activity_id, changed_at)
  SELECT id, activity_id, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + id / 1000 FROM passes WHERE follows_activity;
