-- EXPAND 0.1.0

CREATE INDEX `asset_reservations_times` ON `asset_reservations` (`org_id`,`ends_at`,`starts_at`,`id`);
