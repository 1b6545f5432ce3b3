CREATE INDEX `passes_live` ON `passes` (`activity_id`) WHERE "passes"."revoked_at" is null and "passes"."expired_at" is null;
