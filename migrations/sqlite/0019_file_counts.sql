ALTER TABLE `storage_usage` ADD `files` integer DEFAULT 0 NOT NULL;

UPDATE storage_usage SET files =
  (SELECT count(*) FROM files f WHERE f.uploader_id = storage_usage.user_id AND f.org_id = 0) +
  (SELECT count(*) FROM file_uploads u WHERE u.user_id = storage_usage.user_id AND u.org_id = 0 AND u.file_id IS NULL AND u.size > 0)
WHERE org_id = 0;

UPDATE storage_usage SET files =
  (SELECT count(*) FROM files f WHERE f.org_id = storage_usage.org_id AND f.org_id <> 0) +
  (SELECT count(*) FROM file_uploads u WHERE u.org_id = storage_usage.org_id AND u.file_id IS NULL AND u.size > 0)
WHERE org_id <> 0;
