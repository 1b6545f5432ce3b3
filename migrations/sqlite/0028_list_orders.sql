DROP INDEX `assets_all`;

CREATE INDEX `assets_all` ON `assets` (`created_at`,`id`) WHERE "assets"."deleted_at" is null;

DROP INDEX `passes_list`;

CREATE INDEX `passes_list` ON `passes` (`activity_id`,`deleted_at`,`id`);
